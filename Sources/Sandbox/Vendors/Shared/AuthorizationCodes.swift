import AuthModel
import Crypto

/// The authorization codes of one system: each is valid once, for a limited time, and for the values that it is bound to.
struct AuthorizationCodes<Content: Sendable>: Sendable {
    /// The values that a code is bound to.
    struct Binding: Equatable, Sendable {
        var clientID: String
        var redirectURI: String
        /// The PKCE challenge (RFC 7636), S256; `nil` if none was sent.
        var challenge: String?
    }

    private struct Entry: Sendable {
        var binding: Binding
        var content: Content
        var endsAt: Timestamp
    }

    private var entries: [String: Entry] = [:]

    mutating func issue(_ content: Content, for binding: Binding, until end: Timestamp) -> String {
        let code = OpenIDProvider.makeName()
        entries[code] = Entry(binding: binding, content: content, endsAt: end)
        return code
    }

    /// Redeems a code; it is used up even if this throws.
    mutating func redeem(
        _ code: String, clientID: String, redirectURI: String?, verifier: String?, now: Timestamp
    ) throws(OAuthError) -> Content {
        guard let entry = entries.removeValue(forKey: code) else { throw OAuthError("invalid_grant", "the code is unknown") }
        guard now < entry.endsAt else { throw OAuthError("invalid_grant", "the code has expired") }
        guard entry.binding.clientID == clientID else { throw OAuthError("invalid_grant", "the code is another client's") }
        guard entry.binding.redirectURI == redirectURI else {
            throw OAuthError("invalid_grant", "the redirect URI differs from the authorization request")
        }
        guard verifier.map(Self.challenge) == entry.binding.challenge else {
            throw OAuthError("invalid_grant", "code_verifier does not match")
        }
        return entry.content
    }

    static func challenge(for verifier: String) -> String { Base64.url(Array(SHA256.hash(data: Array(verifier.utf8)))) }
}
