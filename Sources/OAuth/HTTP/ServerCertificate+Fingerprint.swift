public import AuthModel
internal import Crypto

extension ServerCertificate {
    /// The SHA-256 fingerprint in the usual notation: `3A:0F:…`; `nil` if the PEM text contains no certificate.
    public var fingerprint: String? {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(of: "-----BEGIN CERTIFICATE-----"), let end = lines.firstIndex(of: "-----END CERTIFICATE-----"),
            start < end, let bytes = Base64.decode(lines[(start + 1)..<end].joined())
        else { return nil }
        return SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
