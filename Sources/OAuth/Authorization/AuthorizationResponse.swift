internal import AuthModel

/// What an answer at the redirect URI means for the attempt that waits for it.
///
/// Only the provider can end an attempt: whatever lacks this attempt's `state` is ``ignored(reason:)``, errors included, so that no web
/// page and no other program can cancel a sign-in.
public enum AuthorizationResponse: Equatable, Sendable {
    /// The provider's answer with a code. It can be exchanged, once.
    case accepted(ValidatedCallback)
    /// Not this attempt's answer, or not a whole one; the attempt goes on.
    case ignored(Reason)
    /// The provider said no. The attempt ends.
    case denied(OAuthError)
    /// The provider's answer, and not exactly right. The attempt ends, and nothing is sent onward.
    case refused(OAuthError)

    /// Why an answer was ignored.
    public enum Reason: String, Equatable, Sendable {
        case malformedQuery = "its query is broken"
        case doubledParameter = "it has a parameter twice"
        case missingState = "it has no state"
        case wrongState = "its state is not this attempt's"
        case missingCode = "it has neither a code nor an error"
        case codeAndError = "it has both a code and an error"
    }

    /// Judges the raw query of a request to the redirect URI.
    ///
    /// In this order: the query as a whole, `state`, what may never come in a redirect, `iss` (RFC 9207 section 2.4), `error`, `code`.
    public init(query: String, for pending: PendingAuthorization) {
        guard let pairs = FormEncoding.decode(query) else {
            self = .ignored(.malformedQuery)
            return
        }
        // None may come twice (RFC 6749 section 3.1), known or not: two readers must never see two answers.
        let values = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        guard values.count == pairs.count else {
            self = .ignored(.doubledParameter)
            return
        }
        guard let state = values["state"] else {
            self = .ignored(.missingState)
            return
        }
        guard Secret(state) == pending.state else {
            self = .ignored(.wrongState)
            return
        }
        let host = pending.issuer?.url.origin.authority ?? pending.authorizationEndpoint.origin.authority
        func refuse(_ kind: OAuthError.Kind) -> Self { .refused(OAuthError(.authorization, kind, host: host)) }
        // Tokens do not travel in URLs (RFC 9700 section 2.1.2), and JARM was not asked for.
        for name in ["access_token", "id_token", "response"] where values[name] != nil {
            self = refuse(.mismatch(what: "kind of answer (\(name))"))
            return
        }
        guard Self.issuerIsRight(values["iss"], pending) else {
            self = refuse(values["iss"] == nil ? .missingMember("iss") : .mismatch(what: "issuer (iss)"))
            return
        }
        switch (values["code"], values["error"]) {
        case (let code?, nil) where !code.isEmpty:
            self = .accepted(ValidatedCallback(code: Secret(code), pending: pending))
        case (nil, let error?):
            let error = ServerError(code: error, description: values["error_description"])
            self = .denied(OAuthError(.authorization, .refused(error, status: 302), host: host))
        case (_?, _?): self = .ignored(.codeAndError)
        default: self = .ignored(.missingCode)
        }
    }

    /// Judges a code that the provider's page showed and a person copied. It is taken only where the request's redirect is out of band: no
    /// state comes with it, and it is PKCE alone that ties it to this attempt.
    ///
    /// `nil` where that is not the redirect, or the text is no code.
    public init?(shownCode text: some StringProtocol, for pending: PendingAuthorization) {
        guard pending.redirectURI == RedirectRule.outOfBand.description, (1...4096).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self = .accepted(ValidatedCallback(code: Secret(text), pending: pending))
    }

    /// RFC 9207 section 2.4: a present `iss` must be the issuer, announced or not; an announced one must be present.
    ///
    /// A provider without a known issuer is held to the origin of its authorization endpoint.
    private static func issuerIsRight(_ iss: String?, _ pending: PendingAuthorization) -> Bool {
        guard let iss else { return !pending.expectsIssuer }
        if let issuer = pending.issuer { return iss.hasSameBytes(as: issuer.text) }
        return WebURL(iss)?.origin == pending.authorizationEndpoint.origin
    }
}

/// The provider's answer with a code, checked. There is no other way to make one, and nothing else can be exchanged.
public struct ValidatedCallback: Equatable, Sendable {
    let code: Secret
    /// The request it answers.
    public let pending: PendingAuthorization

    fileprivate init(code: Secret, pending: PendingAuthorization) {
        self.code = code
        self.pending = pending
    }
}
