public import AuthModel

/// What one request may cost, and whom it may trust.
public struct TransportPolicy: Equatable, Sendable {
    /// From the call to the last byte, name look-up and handshake included.
    public var deadline: Duration
    /// Bytes of the body at most, counted after inflating.
    public var bodyLimit: Int
    /// Bytes of all header lines at most, interim answers included.
    public var headerLimit: Int
    /// Header lines at most, interim answers included.
    public var headerCountLimit: Int
    /// A PEM file with roots that count beside the system's.
    public var caFile: String?
    /// A certificate that stands for its server beside what leads to a root: the person said so.
    public var allowedCertificate: ServerCertificate?
    /// What this client shows in the TLS handshake (RFC 8705 section 2), where the server asks.
    public var clientCertificate: ClientCertificate?
    /// What a web server in front wants; it goes to that server's origin and no other.
    public var webServerLogin: WebServerLogin?

    /// A certificate and its key, in PEM files.
    public struct ClientCertificate: Equatable, Sendable {
        /// The certificate and what leads to its root.
        public var certificateFile: String
        /// The private key, not encrypted; `nil`: it stands in the certificate's file.
        public var keyFile: String?

        public init(certificateFile: String, keyFile: String?) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    public init(
        deadline: Duration = .seconds(15), bodyLimit: Int = 1 << 20, headerLimit: Int = 64 << 10, headerCountLimit: Int = 200,
        caFile: String? = nil, clientCertificate: ClientCertificate? = nil
    ) {
        self.deadline = deadline
        self.bodyLimit = bodyLimit
        self.headerLimit = headerLimit
        self.headerCountLimit = headerCountLimit
        self.caFile = caFile
        self.clientCertificate = clientCertificate
    }

    /// 15 seconds, 1 MB, the system's roots.
    public static let standard = TransportPolicy()
}
