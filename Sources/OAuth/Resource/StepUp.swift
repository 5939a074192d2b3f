public import AuthModel

/// What a resource wants of the next sign-in (RFC 9470; RFC 6750 section 3.1): a kind of sign-in, a recent one, more scopes.
public struct StepUp: Equatable, Sendable {
    /// The context classes of which one is needed, the preferred one first; empty: any.
    public let contextClasses: [String]
    /// How many seconds ago the person may have signed in at most.
    public let maxAge: Int?
    /// Scopes that are needed beside those the session has.
    public let scopes: ScopeSet
    /// The error that the resource gave.
    public let reason: ServerError

    /// Reads what an answer of a resource asks for: `insufficient_user_authentication`, or `insufficient_scope` with scopes.
    ///
    /// It is asked once. When the resource asks again after a sign-in that was made for it, this throws: going round helps nobody
    /// (RFC 9470 section 9).
    ///
    /// - Parameters:
    ///   - response: the answer, 401 or 403.
    ///   - previous: what was asked for the same request before; `nil` the first time.
    /// - Returns: what to ask of the provider; `nil` when the answer asks for nothing of the kind.
    public static func wanted(by response: WebResponse, host: String?, after previous: StepUp? = nil) throws(OAuthError) -> StepUp? {
        guard [401, 403].contains(response.status), let stepUp = response.tokenChallenges.lazy.compactMap(StepUp.init).first
        else { return nil }
        guard previous == nil else { throw OAuthError(.stepUp, .refused(stepUp.reason, status: response.status), host: host) }
        return stepUp
    }

    /// The challenge of an answer that wants more scopes and does not say which; then the resource's metadata may
    /// (``ResourceMetadata/scopes``).
    public static func scopelessChallenge(in response: WebResponse) -> Challenge? {
        guard [401, 403].contains(response.status) else { return nil }
        return response.tokenChallenges.first { $0.error?.code == "insufficient_scope" && $0.scopes.isEmpty }
    }

    /// What a challenge wants that names no scopes, with those that the resource knows; `nil` where there are none, or it wants something
    /// else.
    public init?(_ challenge: Challenge, scopes: ScopeSet) {
        guard let error = challenge.error, error.code == "insufficient_scope", !scopes.isEmpty else { return nil }
        contextClasses = []
        maxAge = nil
        self.scopes = scopes
        reason = error
    }

    /// `nil` where the challenge asks for no other sign-in, or for one in a way that cannot be read.
    init?(_ challenge: Challenge) {
        guard let error = challenge.error else { return nil }
        switch error.code {
        case "insufficient_user_authentication":
            if challenge["max_age"] != nil, challenge.maxAge == nil { return nil }
            contextClasses = challenge.contextClasses
            maxAge = challenge.maxAge
        case "insufficient_scope" where !challenge.scopes.isEmpty:
            contextClasses = []
            maxAge = nil
        default: return nil
        }
        scopes = challenge.scopes
        reason = error
    }

    /// The authorization request that asks for it (section 4): the context classes of the challenge, the shorter of both ages, the scopes
    /// of both. A challenge that names neither class nor age asks for a new sign-in.
    public func applied(to request: AuthorizationRequest) -> AuthorizationRequest {
        var request = request
        if !contextClasses.isEmpty { request.acrValues = contextClasses.joined(separator: " ") }
        if let maxAge { request.maxAge = min(maxAge, request.maxAge ?? maxAge) }
        request.scopes = ScopeSet(request.scopes.values + scopes.values)
        if contextClasses.isEmpty, maxAge == nil, reason.code == "insufficient_user_authentication" { request.prompt = "login" }
        return request
    }

    /// The validator that holds the new ID token to it: `acr` is one of the context classes, `auth_time` is recent enough.
    public func applied(to validator: IDTokenValidator) -> IDTokenValidator {
        var validator = validator
        if !contextClasses.isEmpty { validator.requiredContextClasses = contextClasses }
        if let maxAge { validator.maxAge = min(maxAge, validator.maxAge ?? maxAge) }
        return validator
    }

    /// Holds the verified claims of the new sign-in to it, for a session whose ID token was validated without
    /// ``applied(to:)-(IDTokenValidator)``: `acr` is one of the context classes, and `auth_time` recent enough. What a provider does not
    /// say was not shown.
    ///
    /// - Parameters:
    ///   - claims: those of the ID token.
    ///   - now: when the sign-in ended.
    public func check(_ claims: JSONValue, host: String?, now: Timestamp) throws(OAuthError) {
        do throws(TokenError) {
            _ = try ClaimReader(claims).authentication(contextClasses: contextClasses, maxAge: maxAge, now: now)
        } catch {
            throw OAuthError(.stepUp, .token(error), host: host)
        }
    }
}
