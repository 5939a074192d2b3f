/// The certificate that a server shows, which no known authority vouches for: a person may let it stand for that server and no other.
public struct ServerCertificate: Equatable, Sendable {
    /// The only server that it stands for.
    public var origin: Origin
    /// As PEM text.
    public var pem: String

    public init(origin: Origin, pem: String) {
        self.origin = origin
        self.pem = pem
    }

    /// As it is kept with a session.
    public var json: JSONValue { ["origin": .string(origin.description), "pem": .string(pem)] }

    /// From ``json``; `nil` for anything else.
    public init?(json: JSONValue?) {
        guard let origin = json?["origin"]?.string.flatMap(WebURL.init)?.origin, let pem = json?["pem"]?.string else { return nil }
        self.init(origin: origin, pem: pem)
    }
}
