import Glibc

/// What is said of system calls.
enum SystemCall {
    /// The reason that the last call gave, in lower case.
    static var reason: String { text(errno) }

    /// The reason behind an error number, in lower case: "permission denied".
    static func text(_ number: Int32) -> String {
        let text = String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
