/// A server certificate that no known authority signed and that the user may accept for this server only.
public struct ServerCertificate: Equatable, Sendable {
    /// The only server that the certificate is accepted for.
    public var origin: Origin
    /// The certificate as PEM text.
    public var pem: String

    /// Creates a server certificate.
    public init(origin: Origin, pem: String) {
        self.origin = origin
        self.pem = pem
    }

    /// The form stored with a session.
    public var json: JSONValue { ["origin": .string(origin.description), "pem": .string(pem)] }

    /// Reads ``json``; returns `nil` for anything else.
    public init?(json: JSONValue?) {
        guard let origin = json?["origin"]?.string.flatMap(WebURL.init)?.origin, let pem = json?["pem"]?.string else { return nil }
        self.init(origin: origin, pem: pem)
    }
}
