public import AuthModel

/// RP-Initiated Logout: ends the provider's session in the user's browser.
public enum EndSession {
    /// Generates a state of 256 bits for one redirect. ``EndSessionResponse`` checks it.
    public static func state(using generator: inout some RandomNumberGenerator) -> Secret { RandomValue.make(using: &generator) }

    /// Returns the logout URL (section 2); `nil` if the provider has no such endpoint.
    ///
    /// Omits an ID token that makes the URL too long; the provider then asks the user.
    ///
    /// - Parameters:
    ///   - idToken: identifies the session, even if it has expired.
    ///   - returnTo: a registered URI for the redirect after logout, with `state`.
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
