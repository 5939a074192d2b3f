/// A TLS server (`openssl s_server`); it ends with the last reference.
public final class TLSServer: Sendable {
    private let folder: TestFolder
    private let program: ListeningProgram
    /// The port that it listens on.
    public var port: Int { program.port }

    init(folder: TestFolder, certificate: String, options: String) throws {
        self.folder = folder
        let arguments = "-accept 127.0.0.1:0 -cert \(certificate).pem -key server.key \(options)"
        program = try ListeningProgram("openssl s_server \(arguments) 2>server-$$.log", in: folder) { $0.hasPrefix("ACCEPT") }
    }

    /// The files requested so far, from a server with the option `-WWW`.
    public var files: [String] {
        (folder.read("server-\(program.processID).log") ?? "").split(separator: "\n").compactMap { line in
            line.hasPrefix("FILE:") ? String(line.dropFirst("FILE:".count)) : nil
        }
    }
}
