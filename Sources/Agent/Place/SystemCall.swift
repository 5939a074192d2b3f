import Glibc

/// What is said of system calls.
enum SystemCall {
    /// The reason that the last call gave, in lower case.
    static var reason: String { text(errno) }

    /// Why a call failed.
    struct Failure: Error, Equatable {
        /// Of `errno`.
        var number: Int32
        var text: String { SystemCall.text(number) }
    }

    /// The failure of the last call.
    static var failure: Failure { Failure(number: errno) }

    /// The reason behind an error number, in lower case: "permission denied".
    static func text(_ number: Int32) -> String {
        let text = String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
