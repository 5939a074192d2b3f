import Fuzzing

/// The command-line options.
struct Options {
    var readers = FuzzedReader.all
    var seed: UInt64 = 1
    var first = 0
    var count = 1_000_000
    /// Whether to print the inputs instead of reading them.
    var shows = false

    var numbers: Range<Int> { first..<first + count }

    /// The usage text, thrown for a wrong command line.
    struct Usage: Error {
        let text = """
            usage: yett-fuzz [--reader NAME] [--seed S] [--first N] [--count N] [--show]
            readers: \(FuzzedReader.all.map(\.name).joined(separator: " "))
            """
    }

    init(_ arguments: [String]) throws(Usage) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--show" {
                shows = true
                continue
            }
            guard let value = rest.popFirst() else { throw Usage() }
            switch option {
            case "--reader":
                readers = FuzzedReader.all.filter { $0.name == value }
                if readers.isEmpty { throw Usage() }
            case "--seed": seed = try Self.number(value)
            case "--first": first = try Self.number(value)
            case "--count": count = try Self.number(value)
            default: throw Usage()
            }
        }
        guard first >= 0, count >= 0, !first.addingReportingOverflow(count).overflow else { throw Usage() }
    }

    private static func number<Number: FixedWidthInteger>(_ text: String) throws(Usage) -> Number {
        guard let number = Number(text) else { throw Usage() }
        return number
    }
}
