public import Glibc

/// A folder that is gone after the test.
public final class TestFolder: Sendable {
    public let path: String

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

    public func file(_ name: String) -> String { "\(path)/\(name)" }

    public func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws {
        guard let stream = fopen(file(name), "we") else { throw PreparationError("cannot write \(file(name))") }
        fputs(text, stream)
        fclose(stream)
        chmod(file(name), mode)
        if mode & 0o111 != 0 { waitForWriters(of: name) }
    }

    /// A program that another thread starts at this moment has a copy of our descriptor until its `execve`, and as long as anybody can
    /// write a file, the system runs it for nobody (`ETXTBSY`). It gives a read lease once nobody can.
    private func waitForWriters(of name: String) {
        let descriptor = open(file(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        while fcntl(descriptor, Self.setLease, CInt(F_RDLCK)) != 0, errno == EAGAIN || errno == EINTR { sched_yield() }
    }

    /// `F_SETLEASE` of fcntl.h, which the Glibc module hides as a GNU extension.
    private static let setLease: CInt = 1024

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
}

/// What a test stands on could not be made.
public struct PreparationError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
