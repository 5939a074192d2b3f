import Glibc

/// `openssl s_server`, which ends with the last reference.
public final class TLSServer: Sendable {
    public let port: Int
    private let folder: TestFolder
    private let process: pid_t
    private nonisolated(unsafe) let output: UnsafeMutablePointer<FILE>

    init(folder: TestFolder, certificate: String, options: String) throws {
        self.folder = folder
        let arguments = "-accept 127.0.0.1:0 -cert \(certificate).pem -key server.key \(options)"
        let command = "cd '\(folder.path)' && echo $$ && exec openssl s_server \(arguments) 2>server-$$.log </dev/null"
        guard let output = popen(command, "r") else { throw PreparationError("no shell can be started") }
        self.output = output
        var lines: [String] = []
        var buffer = [CChar](repeating: 0, count: 1024)
        // Its first line is the process, a later one says where it listens.
        while lines.last?.hasPrefix("ACCEPT") != true, fgets(&buffer, 1024, output) != nil {
            lines.append(String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        guard let process = lines.first.flatMap({ pid_t($0) }), let port = lines.last?.split(separator: ":").last.flatMap({ Int($0) })
        else {
            pclose(output)
            throw PreparationError("openssl s_server does not start")
        }
        self.process = process
        self.port = port
    }

    /// The files that were asked for so far, of a server with the option `-WWW`.
    public var files: [String] {
        (folder.read("server-\(process).log") ?? "").split(separator: "\n").compactMap { line in
            line.hasPrefix("FILE:") ? String(line.dropFirst("FILE:".count)) : nil
        }
    }

    deinit {
        kill(process, SIGKILL)
        pclose(output)
    }
}
