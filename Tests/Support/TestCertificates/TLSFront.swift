import Glibc
import Synchronization

/// `socat`, which takes TLS off and passes on what is inside; it ends with the last reference.
public final class TLSFront: Sendable {
    public let port: Int
    private let process: pid_t
    private let isOver = Atomic(false)
    private nonisolated(unsafe) let output: UnsafeMutablePointer<FILE>

    init(folder: TestFolder, certificate: String, backend: Int, port: Int, wantsCertificate: Bool) throws {
        let trust = wantsCertificate ? "verify=1,cafile=root.pem" : "verify=0"
        let listener = "OPENSSL-LISTEN:\(port),bind=127.0.0.1,fork,reuseaddr,\(trust),cert=\(certificate).pem,key=server.key"
        let command = "cd '\(folder.path)' && echo $$ && exec socat -d -d '\(listener)' TCP4:127.0.0.1:\(backend) 2>&1 </dev/null"
        guard let output = popen(command, "r") else { throw PreparationError("no shell can be started") }
        self.output = output
        var lines: [String] = []
        var buffer = [CChar](repeating: 0, count: 1024)
        // Its first line is the process, a later one says where it listens.
        while lines.last?.contains("listening on") != true, fgets(&buffer, 1024, output) != nil {
            lines.append(String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        guard let process = lines.first.flatMap({ pid_t($0) }), let port = lines.last?.split(separator: ":").last.flatMap({ Int($0) })
        else {
            pclose(output)
            throw PreparationError("socat does not start: \(lines.last ?? "it is not installed")")
        }
        self.process = process
        self.port = port
    }

    deinit { end() }

    /// Ends it; when this returns, the port is free.
    public func end() {
        guard !isOver.exchange(true, ordering: .sequentiallyConsistent) else { return }
        kill(process, SIGKILL)
        pclose(output)
    }
}
