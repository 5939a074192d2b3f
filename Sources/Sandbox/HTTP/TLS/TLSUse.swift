/// A port's answer to clients that speak TLS. It always accepts plain http as well.
public enum TLSUse: String, Sendable, CaseIterable {
    /// Not at all: the port speaks plain http only.
    case off
    /// With a self-signed certificate for 127.0.0.1.
    case selfSigned = "self_signed"
    /// With another self-signed certificate, as an attacker between client and server would have.
    case otherSelfSigned = "other_self_signed"
    /// With a certificate for another host.
    case wrongHost = "wrong_host"
    /// With an expired certificate.
    case expired
    /// Like `selfSigned`, but only for clients that present a certificate. Any issuer is accepted.
    case clientCertificate = "client_certificate"

    var demandsCertificate: Bool { self == .clientCertificate }

    /// The certificate to present.
    var certificate: TLSUse { self == .clientCertificate ? .selfSigned : self }
}
