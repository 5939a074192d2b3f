public import AuthModel

extension OAuthError {
    /// The error as a failure for the user: its kind decides the exit code, and its texts say what to do.
    public var failure: AuthFailure {
        var failure = meaning
        if case .serverFailure(let status, _) = kind, status == 429 || status == 503 { failure.retryPolicy = .freely }
        // If the page came from the server itself, a single-use refresh token may be used up.
        if case .pageInstead = kind { failure.retryPolicy = .once }
        return failure
    }

    private var meaning: AuthFailure {
        let place = host.map { " at \($0)" } ?? ""
        let whose = host ?? "the provider"
        let later = "try again in a moment"
        let report = "contact the administrator of \(whose)"
        switch kind {
        case .notFound:
            return AuthFailure(.unavailable(retryAfter: nil), "not found: \(subject)\(place)", hint: "check the issuer's address")
        case .unexpectedStatus(let status):
            return AuthFailure(.unavailable(retryAfter: nil), "\(action) failed\(place) with status \(status)", hint: later)
        case .serverFailure(let status, let delay):
            let hint = delay.map { "try again in \(max(1, $0.wholeSeconds)) s" } ?? later
            return AuthFailure(
                .unavailable(retryAfter: delay), "server error at \(whose): \(action) failed with status \(status)", hint: hint)
        case .redirected:
            let kind: AuthFailure.Kind = operation.readsPublicDocument ? .unavailable(retryAfter: nil) : .security
            return AuthFailure(
                kind, "\(whose) redirects \(action) to another address, which is not allowed", hint: "check the issuer's address")
        case .notJSON(let isHTML):
            return AuthFailure(
                .unavailable(retryAfter: nil), "the \(subject)\(place) is \(isHTML ? "a web page, not JSON" : "not JSON")",
                hint: "check the address; a proxy or a sign-in page may have answered")
        case .missingMember(let name) where operation == .authorization:
            return AuthFailure(
                .security, "the \(subject)\(place) lacks \(name), although the provider announced it",
                hint: "nothing else was sent; \(report)")
        case .missingMember(let name) where isSecurityCritical(name):
            return AuthFailure(.security, "the \(subject)\(place) lacks \(name)", hint: "nothing else was sent; \(report)")
        case .wrongMember(let name, let expected) where isSecurityCritical(name):
            return AuthFailure(
                .security, "\(name) in the \(subject)\(place) is not \(expected)", hint: "nothing else was sent; \(report)")
        case .missingMember(let name):
            return AuthFailure(.unavailable(retryAfter: nil), "the \(subject)\(place) lacks \(name)", hint: report)
        case .wrongMember(let name, let expected):
            return AuthFailure(.unavailable(retryAfter: nil), "\(name) in the \(subject)\(place) is not \(expected)", hint: report)
        case .unsafeEndpoint(let member):
            return AuthFailure(
                .security, "\(member) in the \(subject)\(place) is not a plain https URL",
                hint: "\(report); http is allowed only for loopback addresses")
        case .mismatch(let what):
            return AuthFailure(
                .security, "the \(what) in the \(subject)\(place) differs from the requested one",
                hint: "check the address letter by letter; nothing else was sent")
        case .refused(let error, _):
            return refusal(error, whose: whose)
        case .refusedUnreadably(let status):
            return AuthFailure(
                operation == .renewal ? .signInAgain : .denied(code: nil),
                "\(whose) refused \(action) with status \(status) and gave no reason",
                hint: operation == .renewal ? "sign in again" : "try again, or contact its administrator")
        case .pageInstead(let status):
            return AuthFailure(
                .unavailable(retryAfter: nil), "a web page answered \(action) with status \(status) instead of \(whose)",
                hint: "a proxy or the network's sign-in page may have answered; try again without it")
        case .nonceRequired:
            return AuthFailure(.denied(code: "use_dpop_nonce"), "\(whose) rejected the DPoP proof", hint: later)
        case .tokenTypeNotUnderstood:
            return AuthFailure(.security, "\(whose) issued a token of an unsupported type", hint: "supported types: Bearer and DPoP")
        case .lifetimeOver:
            return notConfirmed(whose: whose)
        case .onlyPlainChallenge:
            return AuthFailure(
                .security, "\(whose) offers PKCE only with plain, which gives no protection", hint: "\(report): S256 is required")
        case .noEndpoint(let name):
            return AuthFailure(.configuration, "\(whose) has no \(name)", hint: "if you know it, add it to the configuration")
        case .misconfigured(let what):
            return AuthFailure(.configuration, what, hint: "correct the provider's entry in the configuration")
        case .token(let tokenError):
            return AuthFailure(.security, "the \(subject)\(place) is invalid: \(tokenError.text)", hint: tokenError.hint ?? report)
        }
    }

    private func refusal(_ error: ServerError, whose: String) -> AuthFailure {
        if operation == .renewal, grantOutcome == .kept {
            let hint = error.code == "invalid_dpop_proof" ? "check this machine's clock" : "try again in a moment"
            return AuthFailure(.unavailable(retryAfter: nil), "\(whose) refused the renewal: \(error.line)", hint: hint)
        }
        if operation == .renewal {
            return AuthFailure(.signInAgain, "\(whose) ended the session: \(error.line)", hint: "sign in again")
        }
        if operation == .devicePolling, error.code == "expired_token" { return notConfirmed(whose: whose) }
        let hint: String =
            switch error.code {
            case "access_denied": "sign in again, and allow it"
            case "invalid_client", "unauthorized_client": "check client_id and client authentication in the configuration"
            case "invalid_scope": "check scopes in the configuration"
            case "redirect_uri_mismatch": "register the redirect address at the provider"
            case "invalid_dpop_proof": "check this machine's clock"
            case "invalid_grant": "sign in again; the code may be used or expired"
            default: "if this repeats, contact the administrator of \(whose)"
            }
        return AuthFailure(.denied(code: error.code), "\(whose) refused \(action): \(error.line)", hint: hint)
    }

    private func notConfirmed(whose: String) -> AuthFailure {
        AuthFailure(.timedOut, "the code for \(whose) was not confirmed in time", hint: "sign in again for a new code")
    }

    /// Returns whether an error in this member is a security failure, because nothing in the document can be trusted without it: the member
    /// says whose the document is (RFC 9728 section 3.3), what a token may be used for (RFC 6749 section 7.1, RFC 8693 section 2.2.1), or
    /// who signed in. In a renewal such an error is temporary: the session remains valid with its existing tokens.
    private func isSecurityCritical(_ member: String) -> Bool {
        switch operation {
        case .resourceMetadata: member == "resource"
        case .codeExchange, .devicePolling, .tokenExchange, .assertionGrant:
            ["token_type", "issued_token_type", "id_token"].contains(member)
        default: false
        }
    }

    /// The operation as a noun phrase.
    private var action: String {
        switch operation {
        case .discovery: "discovery"
        case .signingKeys: "fetching the signing keys"
        case .authorization: "the sign-in"
        case .codeExchange: "the code exchange"
        case .renewal: "the renewal"
        case .idToken: "the ID token"
        case .userInfo: "userinfo"
        case .revocation: "the revocation"
        case .introspection: "the introspection"
        case .endSession: "the sign-out"
        case .deviceAuthorization, .devicePolling: "the device sign-in"
        case .pushedAuthorization: "the pushed request"
        case .registration: "the registration"
        case .tokenExchange: "the token exchange"
        case .assertionGrant: "the assertion"
        case .resourceMetadata: "reading the resource's metadata"
        case .clientAuthentication: "the client authentication"
        case .proof: "the DPoP proof"
        case .stepUp: "the step-up"
        case .resource: "the request"
        }
    }

    /// The document that was read, as a noun phrase.
    private var subject: String {
        switch operation {
        case .discovery: "provider metadata"
        case .signingKeys: "key set (jwks_uri)"
        case .authorization: "authorization response"
        case .codeExchange, .renewal, .devicePolling, .tokenExchange, .assertionGrant: "token response"
        case .idToken: "ID token"
        case .userInfo: "userinfo response"
        case .revocation: "revocation response"
        case .introspection: "introspection response"
        case .endSession: "sign-out response"
        case .deviceAuthorization: "device authorization response"
        case .pushedAuthorization: "pushed authorization response"
        case .registration: "registration response"
        case .resourceMetadata: "resource metadata"
        case .clientAuthentication: "client authentication"
        case .proof: "DPoP proof"
        case .stepUp: "new sign-in"
        case .resource: "resource's response"
        }
    }
}
