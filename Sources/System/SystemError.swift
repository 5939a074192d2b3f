import Glibc

/// Why a system call failed. The only place that turns error numbers into text: messages never show the number.
public struct SystemError: Error, Equatable, Sendable {
    /// The value of `errno`.
    public let number: Int32

    public init(number: Int32) { self.number = number }

    /// The error of the call that has just failed.
    public static var last: SystemError { SystemError(number: errno) }

    /// The sentence of strerror(3), in lower case: "no such file or directory".
    public var text: String {
        let text = String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Whether the reader at the other end of a pipe has gone (`EPIPE`).
    public var isBrokenPipe: Bool { number == EPIPE }

    /// Whether the descriptor is not open, or not for this (`EBADF`).
    public var isClosed: Bool { number == EBADF }

    /// Whether there is nothing of that name (`ENOENT`).
    public var isMissing: Bool { number == ENOENT }

    /// Whether there is no such file (`ENOENT`, `ENOTDIR`).
    public var isMissingFile: Bool { number == ENOENT || number == ENOTDIR }
}
