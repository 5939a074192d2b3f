/// Why the harness could not do what a test asked of it. Its description is what the test log shows.
public struct HarnessError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }

    /// The failure of a system call, with the reason that `errno` gives.
    static func system(_ call: String, _ code: Int32) -> HarnessError {
        HarnessError("\(call): \(systemMessage(code))")
    }
}
