import Glibc
import Testing

/// A folder that is gone after the test.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/yett-edges-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        path = try #require(made)
    }

    deinit {
        _ = system("rm -rf '\(path)'")
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws {
        let stream = try #require(fopen(file(name), "we"))
        fputs(text, stream)
        fclose(stream)
        chmod(file(name), mode)
    }

    func read(_ name: String) -> String? {
        guard let stream = fopen(file(name), "r") else { return nil }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(stream), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Runs shell commands in the folder.
    func shell(_ commands: String) throws {
        let status = system("cd '\(path)' && { \(commands)\n} >shell.log 2>&1")
        try #require(status == 0, "\(read("shell.log") ?? "")")
    }
}
