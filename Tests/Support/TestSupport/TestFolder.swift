import Dispatch
public import Glibc

/// A temporary folder, which is deleted after the test.
public final class TestFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Creates the folder.
    /// - Throws: ``PreparationError``
    public init() throws {
        var template = Array("/tmp/yett-edges-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw PreparationError("no folder can be made") }
        path = made
    }

    deinit {
        _ = system("rm -rf '\(path)'")
    }

    /// Returns the path of a file in the folder.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file.
    public func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws {
        guard let stream = fopen(file(name), "we") else { throw PreparationError("cannot write \(file(name))") }
        fputs(text, stream)
        fclose(stream)
        chmod(file(name), mode)
        if mode & 0o111 != 0 { waitForWriters(of: name) }
    }

    /// Waits until no process has the file open for writing. A program that another thread starts at this moment keeps a copy of our
    /// descriptor until its `execve`, and the system refuses to run a file that is open for writing (`ETXTBSY`). A read lease is granted
    /// only when no process has the file open for writing.
    private func waitForWriters(of name: String) {
        let descriptor = open(file(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        while fcntl(descriptor, Self.setLease, CInt(F_RDLCK)) != 0, errno == EAGAIN || errno == EINTR { sched_yield() }
    }

    /// `F_SETLEASE` of fcntl.h, which the Glibc module hides as a GNU extension.
    private static let setLease: CInt = 1024

    /// Returns the text of a file; `nil` if it cannot be read.
    public func read(_ name: String) -> String? {
        guard let stream = fopen(file(name), "r") else { return nil }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(stream), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Runs shell commands in the folder.
    public func shell(_ commands: String) throws {
        let status = system("cd '\(path)' && { \(commands)\n} >shell.log 2>&1")
        guard status == 0 else { throw PreparationError(read("shell.log") ?? "") }
    }

    /// Runs shell commands in the folder, on a thread of their own: commands that wait for an answer of this process must not hold one of
    /// the few threads that its tasks share.
    public func shellBesideTasks(_ commands: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "shell").async { continuation.resume(with: Result { try self.shell(commands) }) }
        }
    }
}

/// An error while preparing a test.
public struct PreparationError: Error, CustomStringConvertible {
    /// A description of the error.
    public let description: String

    init(_ description: String) { self.description = description }
}
