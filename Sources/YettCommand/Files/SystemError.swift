internal import AuthModel
internal import Glibc

/// The reason a system call gave, in its own words.
public struct SystemError: Error, Equatable, Sendable {
    /// The value of `errno`.
    public let number: Int32

    public init(number: Int32) { self.number = number }

    /// Whether whoever read the other end of a pipe went away.
    var isBrokenPipe: Bool { number == EPIPE }

    /// The reason of the call that has just failed.
    static var last: SystemError { SystemError(number: errno) }

    /// Whether the descriptor is not open for this.
    var isClosed: Bool { number == EBADF }

    /// Whether there is no such file.
    var isMissingFile: Bool { number == ENOENT || number == ENOTDIR }

    /// In lower case: "no such file or directory".
    var text: String {
        let text = String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// As a failure about a path.
    func failure(_ doing: String, hint: String? = nil) -> AuthFailure {
        AuthFailure(.configuration, "cannot \(doing): \(text)", hint: hint)
    }
}
