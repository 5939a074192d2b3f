public import AuthModel

/// The requirements of a resource for the next sign-in (RFC 9470; RFC 6750 section 3.1): a context class, a recent sign-in, more scopes.
public struct StepUp: Equatable, Sendable {
    /// The accepted authentication context classes, preferred first; empty for any.
    public let contextClasses: [String]
    /// The maximum time since the user's authentication, in seconds.
    public let maxAge: Int?
    /// The claims that the sign-in must request, as a JSON object; `nil` for none.
    public let claims: String?
    /// The scopes that are required in addition to those of the session.
    public let scopes: ScopeSet
    /// The error from the resource.
    public let reason: ServerError

    /// Reads the requirements of a resource's response: `insufficient_user_authentication`, `insufficient_scope` with scopes, or
    /// `insufficient_claims` with claims.
    ///
    /// Throws if the resource repeats its requirements after a sign-in for them, to avoid a loop (RFC 9470 section 9).
    ///
    /// - Parameters:
    ///   - response: the response, 401 or 403.
    ///   - previous: the earlier requirements for the same request; `nil` the first time.
    /// - Returns: the requirements; `nil` if the response has none.
    public static func requirements(in response: WebResponse, host: String?, after previous: StepUp? = nil) throws(OAuthError) -> StepUp? {
        guard [401, 403].contains(response.status), let stepUp = response.tokenChallenges.lazy.compactMap(StepUp.init).first
        else { return nil }
        guard previous == nil else { throw OAuthError(.stepUp, .refused(stepUp.reason, status: response.status), host: host) }
        return stepUp
    }

    /// Returns the challenge of a response that requires more scopes without naming them. The resource's metadata may name them
    /// (``ResourceMetadata/scopes``).
    public static func challengeWithoutScopes(in response: WebResponse) -> Challenge? {
        guard [401, 403].contains(response.status) else { return nil }
        return response.tokenChallenges.first { $0.error?.code == "insufficient_scope" && $0.scopes.isEmpty }
    }

    /// Creates requirements from a challenge without scopes and the scopes in the resource's metadata; returns `nil` if there are no scopes
    /// or the challenge has another error.
    public init?(_ challenge: Challenge, scopes: ScopeSet) {
        guard let error = challenge.error, error.code == "insufficient_scope", !scopes.isEmpty else { return nil }
        contextClasses = []
        maxAge = nil
        claims = nil
        self.scopes = scopes
        reason = error
    }

    /// Creates requirements from a challenge; returns `nil` if it requires no new sign-in or cannot be understood.
    init?(_ challenge: Challenge) {
        guard let error = challenge.error else { return nil }
        switch error.code {
        case "insufficient_user_authentication":
            if challenge["max_age"] != nil, challenge.maxAge == nil { return nil }
            contextClasses = challenge.contextClasses
            maxAge = challenge.maxAge
            claims = challenge.claims
        case "insufficient_scope" where !challenge.scopes.isEmpty:
            contextClasses = []
            maxAge = nil
            claims = challenge.claims
        case "insufficient_claims":
            guard let wanted = challenge.claims else { return nil }
            contextClasses = []
            maxAge = nil
            claims = wanted
        default: return nil
        }
        scopes = challenge.scopes
        reason = error
    }

    /// Returns the authorization request that satisfies the requirements (section 4): the context classes and claims of the challenge, the
    /// shorter maximum age, and the scopes of both. If the challenge names neither class nor age nor claims, the request asks for a new
    /// sign-in.
    public func applied(to request: AuthorizationRequest) -> AuthorizationRequest {
        var request = request
        if !contextClasses.isEmpty { request.acrValues = contextClasses.joined(separator: " ") }
        if let maxAge { request.maxAge = min(maxAge, request.maxAge ?? maxAge) }
        if let claims { request.claims = claims }
        request.scopes = ScopeSet(request.scopes.values + scopes.values)
        if contextClasses.isEmpty, maxAge == nil, claims == nil, reason.code == "insufficient_user_authentication" {
            request.prompt = "login"
        }
        return request
    }

    /// Returns a validator that checks the new ID token: `acr` must be one of the context classes, and `auth_time` recent enough.
    public func applied(to validator: IDTokenValidator) -> IDTokenValidator {
        var validator = validator
        if !contextClasses.isEmpty { validator.requiredContextClasses = contextClasses }
        if let maxAge { validator.maxAge = min(maxAge, validator.maxAge ?? maxAge) }
        return validator
    }

    /// Checks the verified claims of the new sign-in, for a session whose ID token was validated without
    /// ``applied(to:)-(IDTokenValidator)``: `acr` must be one of the context classes, and `auth_time` recent enough. A missing required
    /// claim is an error.
    ///
    /// - Parameters:
    ///   - claims: the claims of the ID token.
    ///   - now: when the sign-in completed.
    public func check(_ claims: JSONValue, host: String?, now: Timestamp) throws(OAuthError) {
        do throws(TokenError) {
            _ = try ClaimReader(claims).authentication(contextClasses: contextClasses, maxAge: maxAge, now: now)
        } catch {
            throw OAuthError(.stepUp, .token(error), host: host)
        }
    }
}
