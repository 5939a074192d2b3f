public import AuthModel

/// The limits and the trust settings of a request.
public struct TransportPolicy: Equatable, Sendable {
    /// Maximum time from the call to the last byte, including name look-up and handshake.
    public var deadline: Duration
    /// Maximum size of the inflated body, in bytes.
    public var bodyLimit: Int
    /// Maximum size of all header lines, in bytes, including interim responses.
    public var headerLimit: Int
    /// Maximum number of header lines, including interim responses.
    public var headerCountLimit: Int
    /// A PEM file with roots that are trusted in addition to the system's.
    public var caFile: String?
    /// A certificate that is trusted for its server without a known root, because the user allowed it.
    public var allowedCertificate: ServerCertificate?
    /// The client certificate for the TLS handshake (RFC 8705 section 2), if the server asks for one.
    public var clientCertificate: ClientCertificate?
    /// The credentials for a web server in front of the service. They are sent to that server's origin only.
    public var webServerLogin: WebServerLogin?

    /// A client certificate and its key, in PEM files.
    public struct ClientCertificate: Equatable, Sendable {
        /// The file with the certificate and its chain.
        public var certificateFile: String
        /// The file with the unencrypted private key; `nil` if it is in the certificate's file.
        public var keyFile: String?

        /// Creates a client certificate.
        public init(certificateFile: String, keyFile: String?) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// Creates a policy.
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

    /// The default policy: 15 seconds, 1 MB, the system's roots.
    public static let standard = TransportPolicy()
}

extension TransportPolicy {
    /// Creates the policy for the resources of a provider's sessions: with the provider's own roots, and the client certificate if the
    /// provider's tokens may be bound to it (RFC 8705 section 3).
    package init(resourcesOf provider: ProviderConfiguration, deadline: Duration, bodyLimit: Int = 1 << 20) {
        self.init(deadline: deadline, bodyLimit: bodyLimit, caFile: provider.caFile)
        if [.tls, .auto].contains(provider.clientAuthentication) { clientCertificate = ClientCertificate(of: provider) }
    }
}

extension TransportPolicy.ClientCertificate {
    /// Creates the certificate that the configuration names; `nil` if it names none.
    package init?(of provider: ProviderConfiguration) {
        guard let file = provider.clientCertificateFile else { return nil }
        self.init(certificateFile: file, keyFile: provider.clientKeyFile)
    }
}
