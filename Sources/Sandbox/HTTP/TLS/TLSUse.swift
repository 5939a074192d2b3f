/// What a port says to clients that speak TLS; it speaks plain http beside it, whatever this is.
public enum TLSUse: String, Sendable, CaseIterable {
    /// Nothing: the port speaks plain http alone.
    case off
    /// With a certificate for 127.0.0.1 that it signed itself.
    case selfSigned = "self_signed"
    /// With another certificate of that kind, as whoever came between client and server would have.
    case otherSelfSigned = "other_self_signed"
    /// With one that is for another host.
    case wrongHost = "wrong_host"
    /// With one whose time is over.
    case expired
    /// As `selfSigned`, and only with clients that have a certificate of their own, whoever signed it.
    case clientCertificate = "client_certificate"

    var demandsCertificate: Bool { self == .clientCertificate }

    /// Which certificate that is.
    var certificate: TLSUse { self == .clientCertificate ? .selfSigned : self }
}
