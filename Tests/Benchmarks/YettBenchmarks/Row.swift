/// A row of the results table.
struct Row {
    var what: String
    var measured: String
    var aim = ""
    /// The ratio to the time for starting `/bin/true`.
    var ratio = ""

    static let head = Row(what: "what", measured: "measured", aim: "aim", ratio: "× `/bin/true`")

    func show() { print("| \(what) | \(measured) | \(aim) | \(ratio) |") }

    /// Returns the number with at most two decimal places.
    static func rounded(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
