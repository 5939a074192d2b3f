import Glibc

/// A failed system call. Only this type converts error numbers to text; messages never show the number.
public struct SystemError: Error, Equatable, Sendable {
    /// The value of `errno`.
    public let number: Int32

    package init(number: Int32) { self.number = number }

    /// The error of the last system call.
    public static var last: SystemError { SystemError(number: errno) }

    /// The text of strerror(3), in lower case: "no such file or directory".
    public var text: String {
        let text = String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Whether the reader of a pipe has closed it (`EPIPE`).
    public var isBrokenPipe: Bool { number == EPIPE }

    /// Whether the descriptor is not open, or not open for this operation (`EBADF`).
    public var isClosed: Bool { number == EBADF }

    /// Whether there is nothing of that name (`ENOENT`).
    public var isMissing: Bool { number == ENOENT }

    /// Whether the file does not exist (`ENOENT`, `ENOTDIR`).
    public var isMissingFile: Bool { number == ENOENT || number == ENOTDIR }
}
