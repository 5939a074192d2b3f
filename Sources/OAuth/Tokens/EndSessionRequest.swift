public import AuthModel

/// RP-Initiated Logout: ends the provider's session in the user's browser.
public enum EndSessionRequest {
    /// Generates a state of 256 bits for one redirect. ``EndSessionResponse`` checks it.
    public static func state(using generator: inout some RandomNumberGenerator) -> Secret { RandomValue.make(using: &generator) }

    /// A placeholder in the parameters of a service's own sign-out page.
    public enum Placeholder: String, CaseIterable, Sendable {
        /// The client identifier.
        case clientID = "{client_id}"
        /// The URI for the redirect after logout. Without one, the parameter is left out.
        case redirect = "{redirect}"
    }

    /// Returns the logout URL (section 2); `nil` if the provider has no such endpoint.
    ///
    /// Omits an ID token that makes the URL too long; the provider then asks the user.
    ///
    /// - Parameters:
    ///   - idToken: identifies the session, even if it has expired.
    ///   - returnTo: a registered URI for the redirect after logout, with `state`.
    ///   - dialect: how the service differs from the standards. Its own parameters replace all standard ones.
    public static func url(
        at metadata: ProviderMetadata, clientID: String, idToken: Secret?, returnTo: String? = nil, state: Secret? = nil,
        dialect: ProviderDialect = ProviderDialect()
    ) -> WebURL? {
        guard let endpoint = metadata.endSessionEndpoint else { return nil }
        if !dialect.endSessionParameters.isEmpty {
            let own = dialect.endSessionParameters.sorted { $0.key < $1.key }.compactMap { name, template in
                filled(template, clientID: clientID, returnTo: returnTo).map { (name, $0) }
            }
            return endpoint.appending(query: own)
        }
        var fields = [("client_id", clientID)]
        if let returnTo {
            fields.append(("post_logout_redirect_uri", returnTo))
            if let state { fields.append(("state", state.reveal())) }
        }
        if let idToken, let url = endpoint.appending(query: [("id_token_hint", idToken.reveal())] + fields) { return url }
        return endpoint.appending(query: fields)
    }

    /// Returns a parameter's value; `nil` if it needs a redirect and there is none.
    private static func filled(_ template: String, clientID: String, returnTo: String?) -> String? {
        let redirect = Placeholder.redirect.rawValue
        guard let returnTo else {
            return template.contains(redirect) ? nil : template.replacing(Placeholder.clientID.rawValue, with: clientID)
        }
        // The parts between the placeholders, so that no value is taken for a placeholder.
        return template.split(separator: redirect, omittingEmptySubsequences: false)
            .map { $0.replacing(Placeholder.clientID.rawValue, with: clientID) }.joined(separator: returnTo)
    }
}

/// The validation result of a redirect from the provider's logout page (RP-Initiated Logout section 3).
///
/// `state` proves that the redirect belongs to this request and was not made by another page. It does not prove that the session was ended,
/// so a redirect without the correct state does not undo the local sign-out.
public enum EndSessionResponse: Equatable, Sendable {
    /// The state of this request.
    case matchingState
    case missingState
    /// A different state, a duplicate state, or an unreadable query.
    case wrongState

    /// Validates the raw query of a request to `post_logout_redirect_uri`.
    public init(query: String, state: Secret) {
        guard let pairs = FormEncoding.decode(query) else {
            self = .wrongState
            return
        }
        let states = pairs.filter { $0.name == "state" }
        if states.isEmpty {
            self = .missingState
        } else {
            self = states.count == 1 && Secret(states[0].value) == state ? .matchingState : .wrongState
        }
    }
}
