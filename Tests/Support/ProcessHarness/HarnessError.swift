/// A failure of the test harness itself. The test log shows its description.
public struct HarnessError: Error, CustomStringConvertible {
    /// A description of the failure.
    public let description: String

    /// Creates the error with a description of the failure.
    public init(_ description: String) {
        self.description = description
    }

    /// Returns the error for a failed system call, with the message for its `errno` value.
    static func system(_ call: String, _ code: Int32) -> HarnessError {
        HarnessError("\(call): \(systemMessage(code))")
    }
}
