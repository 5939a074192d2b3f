import Glibc

/// A certificate authority for one test run, and servers with its certificates.
public final class TestAuthority: Sendable {
    /// The folder of the keys and certificates.
    public let folder: TestFolder
    /// The path of the root certificate.
    public var rootFile: String { folder.file("root.pem") }

    /// Creates the root certificate and the server certificates.
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
            printf 'subjectAltName=DNS:api.github.com\\n' > github.ext &&
            touch index && echo 01 > serial &&
            openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in server.csr -extfile here.ext -days 1 -out good.pem &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in server.csr -extfile elsewhere.ext -days 1 -out elsewhere.pem &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in server.csr -extfile github.ext -days 1 -out github.pem &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in server.csr -extfile here.ext \
              -startdate 20200101000000Z -enddate 20200102000000Z -out expired.pem
            """)
    }

    /// Starts a TLS proxy with the certificate `NAME.pem` for a local HTTP server.
    ///
    /// - Parameter wantsCertificate: whether clients must present a certificate of this authority.
    public func front(_ name: String, to backend: Int, wantsCertificate: Bool = false) throws -> TLSFront {
        try TLSFront(folder: folder, certificate: name, backend: backend, wantsCertificate: wantsCertificate)
    }

    /// Starts a server on a free port of 127.0.0.1 with the certificate `NAME.pem`: `good`, `elsewhere`, `github`, `expired` or
    /// `selfsigned`.
    ///
    /// - Parameter options: `-www` answers each request with a page, `-WWW` with a file of the folder.
    public func serve(_ name: String, options: String = "-www") throws -> TLSServer {
        try TLSServer(folder: folder, certificate: name, options: options)
    }

    /// Makes OpenSSL allow old TLS versions in this process and in the programs that it starts, as a lax system configuration does.
    ///
    /// For a process of its own, before its first connection.
    public func allowOldTLS() throws {
        try folder.write(
            "openssl.cnf",
            """
            openssl_conf = all
            [all]
            ssl_conf = ssl
            [ssl]
            system_default = lax
            [lax]
            MinProtocol = TLSv1
            CipherString = ALL:@SECLEVEL=0

            """)
        setenv("OPENSSL_CONF", folder.file("openssl.cnf"), 1)
    }

    /// Creates a client certificate, `client.pem`, and its key, `client.key`.
    public func makeClient() throws {
        try folder.shell(
            """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout client.key -out client.csr -subj '/CN=yett-client' &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in client.csr -days 1 -out client.pem &&
            chmod 600 client.key
            """)
    }
}
