/// Certificates made for one run, and `openssl s_server` to present them.
public final class TestAuthority: Sendable {
    public let folder: TestFolder
    public var rootFile: String { folder.file("root.pem") }

    /// - Throws: ``PreparationError`` without `openssl`.
    public init() throws {
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

    /// TLS in front of a server of this machine that speaks plain http, with the certificate `NAME.pem`.
    ///
    /// - Parameter wantsCertificate: whether only clients with a certificate of this authority are let in.
    public func front(_ name: String, to backend: Int, wantsCertificate: Bool = false) throws -> TLSFront {
        try TLSFront(folder: folder, certificate: name, backend: backend, wantsCertificate: wantsCertificate)
    }

    /// A server on a free port of 127.0.0.1 that presents `NAME.pem`: `good`, `elsewhere`, `expired` or `selfsigned`.
    ///
    /// - Parameter options: `-www` answers each request with a page, `-WWW` with a file of the folder.
    public func serve(_ name: String, options: String = "-www") throws -> TLSServer {
        try TLSServer(folder: folder, certificate: name, options: options)
    }

    /// Makes a client's certificate, `client.pem`, and its key, `client.key`.
    public func makeClient() throws {
        try folder.shell(
            """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout client.key -out client.csr -subj '/CN=yett-client' &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in client.csr -days 1 -out client.pem &&
            chmod 600 client.key
            """)
    }
}
