import AuthModel

/// An unsigned JWT, which faults can change.
struct TokenDraft: Sendable {
    /// The key and method to sign with.
    enum Signer: Equatable, Sendable {
        /// The provider's key for this algorithm.
        case own(SandboxConfiguration.SigningAlgorithm)
        /// The provider's RSA key, with PSS padding.
        case ownPSS
        /// The provider's encryption key.
        case encryptionKey
        /// A key of the same type that the provider never published.
        case unpublishedKey(SandboxConfiguration.SigningAlgorithm)
        /// HMAC with the PEM of the provider's public RSA key.
        case hmacWithPublicKey
        /// HMAC with the key that ``KeySetFault/symmetric`` publishes.
        case hmacWithPublishedKey
        /// No key: the signature is empty.
        case unsigned
    }

    /// The change to the finished text.
    enum Finish: Equatable, Sendable {
        case none
        case signatureXored
        case signatureCut
        case twoParts
        case fiveParts
        case padded
        case replaced(String)
    }

    var header: JSONValue
    var claims: JSONValue
    /// The payload, if it is not the claims.
    var payload: String?
    /// The text of the header, if it is not `header`.
    var headerText: String?
    var signer: Signer
    var finish = Finish.none
}
