import AuthModel

/// A JWT before it is signed, open to being spoiled.
struct TokenDraft: Sendable {
    /// With what it will be signed.
    enum Signer: Equatable, Sendable {
        /// The provider's key for this algorithm.
        case own(SandboxConfiguration.SigningAlgorithm)
        /// The provider's RSA key, with PSS padding.
        case ownPSS
        /// The provider's key for encryption.
        case encryptionKey
        /// A key of the same kind that the provider never published.
        case stranger(SandboxConfiguration.SigningAlgorithm)
        /// HMAC with the PEM of the provider's public RSA key.
        case hmacWithPublicKey
        /// HMAC with the key that ``KeySetFault/symmetricKey`` publishes.
        case hmacWithPublishedKey
        /// Nothing: the signature is empty.
        case nobody
    }

    /// What is done to the finished text.
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
    /// The payload where it is not the claims.
    var payload: String?
    /// The header's text where it is not `header`.
    var headerText: String?
    var signer: Signer
    var finish = Finish.none
}
