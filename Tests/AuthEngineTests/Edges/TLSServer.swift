import Glibc
import Testing

/// Certificates made for one run, and `openssl s_server` to present them.
final class TestAuthority: Sendable {
    let folder: TestFolder
    var rootFile: String { folder.file("root.pem") }

    init() throws {
        folder = try TestFolder()
        try folder.shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout root.key -out root.pem -subj '/CN=Test Root' -days 2 &&
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout server.key -out server.csr -subj '/CN=Test Server' &&
            openssl req -x509 -key server.key -out selfsigned.pem -subj '/CN=Test Server' -addext subjectAltName=IP:127.0.0.1 -days 2 &&
            printf '[ca]\\ndefault_ca=x\\n[x]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\ndefault_md=sha256\\npolicy=p\\n[p]\\ncommonName=supplied\\n' > ca.cnf &&
            printf 'subjectAltName=IP:127.0.0.1\\n' > here.ext && printf 'subjectAltName=DNS:elsewhere.example\\n' > elsewhere.ext &&
            touch index && echo 01 > serial &&
            openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in server.csr -extfile here.ext -days 1 -out good.pem &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in server.csr -extfile elsewhere.ext -days 1 -out elsewhere.pem &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in server.csr -extfile here.ext \
              -startdate 20200101000000Z -enddate 20200102000000Z -out expired.pem
            """)
    }

    /// A server on a free port of 127.0.0.1 that presents `NAME.pem`.
    func serve(_ name: String, options: String = "") throws -> TLSServer {
        try TLSServer(folder: folder, certificate: name, options: options)
    }
}

final class TLSServer: Sendable {
    let port: Int
    private let process: pid_t
    private nonisolated(unsafe) let output: UnsafeMutablePointer<FILE>

    init(folder: TestFolder, certificate: String, options: String) throws {
        let command =
            "cd '\(folder.path)' && echo $$ && exec openssl s_server -accept 127.0.0.1:0 -cert \(certificate).pem -key server.key -www \(options) 2>/dev/null </dev/null"
        output = try #require(popen(command, "r"))
        var lines: [String] = []
        var buffer = [CChar](repeating: 0, count: 1024)
        // Its first line is the process, a later one says where it listens.
        while lines.last?.hasPrefix("ACCEPT") != true, fgets(&buffer, 1024, output) != nil {
            lines.append(String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        process = try #require(lines.first.flatMap { pid_t($0) })
        port = try #require(lines.last?.split(separator: ":").last.flatMap { Int($0) })
    }

    deinit {
        kill(process, SIGKILL)
        pclose(output)
    }
}
