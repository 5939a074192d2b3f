public import AuthModel

/// RP-Initiated Logout: where the person's browser ends the provider's own session.
public enum EndSession {
    /// A state for one way back: 256 bits, read by ``EndSessionAnswer``.
    public static func state(using generator: inout some RandomNumberGenerator) -> Secret { FreshValue.make(using: &generator) }

    /// The URL (section 2); `nil` where the provider has no such endpoint.
    ///
    /// An ID token that makes the URL too long is left out: the provider then asks the person.
    ///
    /// - Parameters:
    ///   - idToken: tells whose session is meant, also when it has expired.
    ///   - returnTo: a registered address the browser is sent back to, with `state`.
    public static func url(
        at metadata: ProviderMetadata, clientID: String, idToken: Secret?, returnTo: String? = nil, state: Secret? = nil
    ) -> WebURL? {
        guard let endpoint = metadata.endSessionEndpoint else { return nil }
        var fields = [("client_id", clientID)]
        if let returnTo {
            fields.append(("post_logout_redirect_uri", returnTo))
            if let state { fields.append(("state", state.reveal())) }
        }
        if let idToken, let url = endpoint.appending(query: [("id_token_hint", idToken.reveal())] + fields) { return url }
        return endpoint.appending(query: fields)
    }
}
