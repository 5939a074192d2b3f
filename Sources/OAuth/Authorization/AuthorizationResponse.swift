public import AuthModel

/// The validation result of a callback for the pending attempt.
///
/// Only the provider can end an attempt. A callback without this attempt's `state`, including an error, is ``ignored(_:)``, so that no web
/// page or other program can cancel a sign-in.
public enum AuthorizationResponse: Equatable, Sendable {
    /// A valid response with a code. The code can be exchanged once.
    case accepted(ValidatedCallback)
    /// A callback that is incomplete or belongs to another attempt. The attempt continues.
    case ignored(Reason)
    /// The provider denied the request. The attempt ends.
    case denied(OAuthError)
    /// The provider's response failed validation. The attempt ends, and nothing from the response is sent onward.
    case refused(OAuthError)

    /// The reason why a callback was ignored.
    public enum Reason: String, Equatable, Sendable {
        case malformedQuery = "phrase.callback_query_malformed"
        case duplicateParameter = "phrase.callback_parameter_repeated"
        case missingState = "phrase.callback_no_state"
        /// An error without `state`: the provider may have refused the request, or another program sent it.
        case errorWithoutState = "phrase.callback_error_no_state"
        case wrongState = "phrase.callback_wrong_state"
        case missingCode = "phrase.callback_no_code_or_error"
        case codeAndError = "phrase.callback_code_and_error"

        /// The reason as a message.
        public var message: UserMessage { UserMessage(rawValue) }
    }

    /// Validates the raw query of a request to the redirect URI.
    ///
    /// Checks, in this order: the syntax of the query, `state`, parameters that must never occur in a redirect, `iss` (RFC 9207 section
    /// 2.4), `error`, `code`.
    public init(query: String, for pending: PendingAuthorization) {
        guard let pairs = FormEncoding.decode(query) ?? Self.withoutDescription(query) else {
            self = .ignored(.malformedQuery)
            return
        }
        // No parameter may occur twice, known or unknown (RFC 6749 section 3.1), because parsers could read different values.
        let values = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        guard values.count == pairs.count else {
            self = .ignored(.duplicateParameter)
            return
        }
        guard let state = values["state"] else {
            self = .ignored(values["error"] == nil ? .missingState : .errorWithoutState)
            return
        }
        guard Secret(state) == pending.state else {
            self = .ignored(.wrongState)
            return
        }
        let host = pending.issuer?.url.origin.authority ?? pending.authorizationEndpoint.origin.authority
        func refuse(_ kind: OAuthError.Kind) -> Self { .refused(OAuthError(.authorization, kind, host: host)) }
        // Tokens must not be in URLs (RFC 9700 section 2.1.2), and JARM was not requested.
        for name in ["access_token", "id_token", "response"] where values[name] != nil {
            self = refuse(.mismatch(what: UserMessage("phrase.response_type", ["parameter": name])))
            return
        }
        guard Self.hasValidIssuer(values["iss"], pending) else {
            let missing: OAuthError.Kind = pending.announcesIssuer ? .missingMember("iss") : .unnamedIssuer
            self = refuse(values["iss"] == nil ? missing : .mismatch(what: UserMessage("phrase.issuer_parameter")))
            return
        }
        // Some servers send all parameters, the unused ones empty.
        let error = values["error"].flatMap { $0.isEmpty ? nil : $0 }
        let sent = values[pending.codeParameter]
        let code = error != nil && sent?.isEmpty == true ? nil : sent
        switch (code, error) {
        case (let code?, nil) where !code.isEmpty:
            let members = pending.callbackMembers.compactMap { name in
                values[name].map { JSONValue.Member(name, .string($0)) }
            }
            self = .accepted(ValidatedCallback(code: Secret(code), members: members, pending: pending))
        case (nil, let error?):
            let error = ServerError(code: error, description: values["error_description"])
            self = .denied(OAuthError(.authorization, .refused(error, status: 302), host: host))
        case (_?, _?): self = .ignored(.codeAndError)
        default:
            // Facebook's names for an error.
            guard sent == nil, let error = values["error_code"] ?? values["error_reason"] else {
                self = .ignored(.missingCode)
                break
            }
            let refusal = ServerError(code: error, description: values["error_message"] ?? values["error_reason"])
            self = .denied(OAuthError(.authorization, .refused(refusal, status: 302), host: host))
        }
    }

    /// Returns the parameters besides a description in another encoding than UTF-8, which older servers send with an error in the user's
    /// language; `nil` if another parameter is malformed.
    private static func withoutDescription(_ query: String) -> [(name: String, value: String)]? {
        let rest = query.split(separator: "&").filter { !$0.hasPrefix("error_description=") }
        return FormEncoding.decode(rest.joined(separator: "&"))
    }

    /// Validates a code that the user copied from the provider's page. Accepted only for an out-of-band redirect: the code has no `state`,
    /// so only PKCE binds it to this attempt, and without PKCE no such code is accepted.
    ///
    /// Returns `nil` if the redirect is not out of band or the text cannot be a code.
    public init?(shownCode text: some StringProtocol, for pending: PendingAuthorization) {
        guard pending.redirectURI == RedirectRule.outOfBand.description, pending.usesPKCE, (1...4096).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self = .accepted(ValidatedCallback(code: Secret(text), members: [], pending: pending))
    }

    /// Returns whether `iss` is correct (RFC 9207 section 2.4): if present, it must equal the issuer, announced or not; if it is
    /// expected, it must be present.
    ///
    /// For a provider without a known issuer, `iss` must have the origin of the authorization endpoint.
    private static func hasValidIssuer(_ iss: String?, _ pending: PendingAuthorization) -> Bool {
        guard let iss else { return !pending.expectsIssuer }
        if let rule = pending.issuerRule { return rule.admits(response: iss) }
        return WebURL(iss)?.origin == pending.authorizationEndpoint.origin
    }
}

/// A validated callback with a code. Only validation creates it, and only this type can be exchanged for tokens.
public struct ValidatedCallback: Equatable, Sendable {
    let code: Secret
    /// The parameters that the request keeps of its callback. They came through the browser, so they say no more than the user does.
    public let members: [JSONValue.Member]
    /// The request that the callback responds to.
    public let pending: PendingAuthorization

    fileprivate init(code: Secret, members: [JSONValue.Member], pending: PendingAuthorization) {
        self.code = code
        self.members = members
        self.pending = pending
    }
}

/// An authorization request without a response yet, with the values that the response is checked against.
public struct PendingAuthorization: Equatable, Sendable {
    /// The issuer of the request; `nil` for a provider without one.
    public let issuer: Issuer?
    /// The accepted issuers of responses and ID tokens; `nil` for a provider without an issuer.
    public let issuerRule: IssuerRule?
    /// The endpoint that the user's browser was sent to.
    public let authorizationEndpoint: WebURL
    /// Whether responses must have `iss` (RFC 9207): the provider announced it, or the client requires it.
    public let expectsIssuer: Bool
    /// Whether the provider announced it.
    let announcesIssuer: Bool
    /// The client identifier.
    public let clientID: String
    /// The parameter that names the client.
    let clientParameter: String
    /// The parameter of the callback that has the code.
    package let codeParameter: String
    /// The parameters of the callback to keep.
    let callbackMembers: [String]
    /// The redirect URI.
    public let redirectURI: String
    /// The requested scopes.
    public let scopes: ScopeSet
    /// The `state` parameter.
    public let state: Secret
    /// The `nonce` parameter.
    public let nonce: Secret
    /// The PKCE code verifier.
    public let verifier: Secret
    /// Whether the request had a code challenge. Otherwise, the code exchange sends no verifier.
    public let usesPKCE: Bool
    /// The requested `max_age`, in seconds.
    public let maxAge: Int?
    /// The resources that the tokens are for (RFC 8707). The code exchange repeats them.
    public let resources: [String]
}
