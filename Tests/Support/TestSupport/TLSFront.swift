/// A TLS proxy (`socat`), which decrypts TLS and forwards the content; it ends with the last reference.
public final class TLSFront: Sendable {
    private let program: ListeningProgram
    /// The port that it listens on.
    public var port: Int { program.port }

    init(folder: TestFolder, certificate: String, backend: Int, wantsCertificate: Bool) throws {
        let trust = wantsCertificate ? "verify=1,cafile=root.pem" : "verify=0"
        let listener = "OPENSSL-LISTEN:0,bind=127.0.0.1,fork,reuseaddr,\(trust),cert=\(certificate).pem,key=server.key"
        program = try ListeningProgram("socat -d -d '\(listener)' TCP4:127.0.0.1:\(backend) 2>&1", in: folder) {
            $0.contains("listening on")
        }
    }
}
