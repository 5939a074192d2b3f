/// A line of the table.
struct Row {
    var what: String
    var measured: String
    var aim = ""
    /// How many times as long as it takes to start `/bin/true`.
    var ratio = ""

    static let head = Row(what: "what", measured: "measured", aim: "aim", ratio: "× `/bin/true`")

    func show() { print("| \(what) | \(measured) | \(aim) | \(ratio) |") }

    /// With two digits behind the point.
    static func rounded(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
