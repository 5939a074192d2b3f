public import AuthModel

extension OAuthError {
    /// The error as a failure for the user: its kind decides the exit code, and its texts say what to do.
    public var failure: AuthFailure {
        var failure = meaning
        if case .serverFailure(let status, _) = kind, status == 429 || status == 503 { failure.retryPolicy = .freely }
        if case .issuerMismatch(let found) = kind { failure.namedIssuer = found }
        // If the page came from the server itself, a single-use refresh token may be used up.
        if case .pageInstead = kind { failure.retryPolicy = .once }
        return failure
    }

    private var meaning: AuthFailure {
        let server = host.map { UserMessage("phrase.at_host", ["host": $0]) } ?? .empty
        let whose = host.map(UserMessage.verbatim) ?? "phrase.the_provider"
        let later = UserMessage("hint.try_again_in_a_moment")
        let report = UserMessage("hint.contact_administrator_of", ["host": whose])
        switch kind {
        case .notFound:
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("http.document_not_found", ["document": subject, "place": server]),
                hint: isClosedRegistration ? "hint.client_by_hand" : "hint.check_issuer")
        case .unexpectedStatus(let status, let reason):
            let message =
                reason.map {
                    UserMessage("http.action_failed_because", ["action": action, "place": server, "status": status, "detail": $0])
                } ?? UserMessage("http.action_failed_with_status", ["action": action, "place": server, "status": status])
            return AuthFailure(.unavailable(retryAfter: nil), message, hint: isClosedRegistration ? "hint.client_by_hand" : later)
        case .serverFailure(let status, let delay):
            let hint = delay.map { UserMessage("hint.try_again_in_seconds", ["seconds": max(1, $0.wholeSeconds)]) } ?? later
            return AuthFailure(
                .unavailable(retryAfter: delay), UserMessage("http.server_error", ["host": whose, "action": action, "status": status]),
                hint: hint)
        case .redirected:
            let kind: AuthFailure.Kind = operation.readsPublicDocument ? .unavailable(retryAfter: nil) : .security
            return AuthFailure(
                kind, UserMessage("http.redirect_to_other_address", ["host": whose, "action": action]), hint: "hint.check_issuer")
        case .notJSON(let isHTML):
            return AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage(
                    "json.document_not_json",
                    [
                        "document": subject, "place": server,
                        "kind": isHTML ? UserMessage("phrase.web_page_not_json") : UserMessage("phrase.not_json"),
                    ]),
                hint: "hint.check_address_proxy_may_have_answered")
        case .missingMember(let name) where operation == .authorization:
            return AuthFailure(
                .security, UserMessage("authorization.announced_member_missing", ["document": subject, "place": server, "field": name]),
                hint: UserMessage("hint.nothing_else_sent", ["advice": report]))
        case .missingMember(let name) where isSecurityCritical(name):
            return AuthFailure(
                .security, UserMessage("json.member_missing", ["document": subject, "place": server, "field": name]),
                hint: name == "token_type" ? "hint.set_token_type" : UserMessage("hint.nothing_else_sent", ["advice": report]))
        case .wrongMember(let name, let expected) where isSecurityCritical(name):
            return AuthFailure(
                .security,
                UserMessage("json.member_not_as_expected", ["field": name, "document": subject, "place": server, "requirement": expected]),
                hint: UserMessage("hint.nothing_else_sent", ["advice": report]))
        case .missingMember(let name):
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("json.member_missing", ["document": subject, "place": server, "field": name]),
                hint: name == "access_token" ? UserMessage("hint.add_api_scope", ["host": whose]) : report)
        case .wrongMember(let name, let expected):
            return AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("json.member_not_as_expected", ["field": name, "document": subject, "place": server, "requirement": expected]),
                hint: report)
        case .unsafeEndpoint(let member):
            return AuthFailure(
                .security, UserMessage("metadata.member_not_https_url", ["field": member, "document": subject, "place": server]),
                hint: UserMessage("hint.http_only_for_loopback", ["advice": report]))
        case .mismatch(let what):
            return AuthFailure(
                .security, UserMessage("http.document_mismatch", ["subject": what, "document": subject, "place": server]),
                hint: "hint.check_address_letter_by_letter")
        case .refused(let error, _):
            return refusal(error, whose: whose)
        case .issuerMismatch(let found):
            return AuthFailure(
                .security, UserMessage("metadata.of_other_issuer", ["host": whose, "issuer": found]), hint: issuerHint(found))
        case .refusedUnreadably(let status, let reason):
            let message =
                reason.map {
                    UserMessage("http.refused_with_reason", ["host": whose, "action": action, "status": status, "detail": $0])
                } ?? UserMessage("http.refused_without_reason", ["host": whose, "action": action, "status": status])
            return AuthFailure(
                operation == .renewal ? .signInAgain : .denied(code: nil), message,
                hint: operation == .renewal
                    ? "hint.repeat_sign_in"
                    : isClosedRegistration ? "hint.client_by_hand" : "hint.try_again_or_contact_administrator")
        case .pageInstead(let status):
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("http.web_page_answered", ["action": action, "status": status, "host": whose]),
                hint: "hint.try_again_without_proxy")
        case .nonceRequired:
            return AuthFailure(.denied(code: "use_dpop_nonce"), UserMessage("token.dpop_proof_rejected", ["host": whose]), hint: later)
        case .tokenTypeNotUnderstood:
            return AuthFailure(
                .security, UserMessage("token.type_not_supported", ["host": whose]),
                hint: .list([UserMessage("hint.supported_token_types"), UserMessage("hint.set_token_type")], by: .semicolon))
        case .lifetimeOver:
            return notConfirmed(whose: whose)
        case .onlyPlainChallenge:
            return AuthFailure(
                .security, UserMessage("authorization.pkce_only_plain", ["host": whose]),
                hint: UserMessage("hint.s256_required", ["advice": report]))
        case .unnamedIssuer:
            return AuthFailure(
                .security, UserMessage("authorization.issuer_missing", ["document": subject, "place": server]),
                hint: UserMessage("hint.nothing_else_sent", ["advice": UserMessage("hint.register_client_yourself")]))
        case .noEndpoint(let name):
            return AuthFailure(
                .configuration, UserMessage("metadata.endpoint_missing", ["host": whose, "endpoint": name]),
                hint: "hint.add_endpoint_if_known")
        case .misconfigured(let what):
            return AuthFailure(.configuration, what, hint: "hint.correct_provider_entry")
        case .token(let tokenError):
            return AuthFailure(
                .security, UserMessage("token.invalid_because", ["document": subject, "place": server, "reason": tokenError.text]),
                hint: tokenError.hint ?? report)
        }
    }

    private func refusal(_ error: ServerError, whose: UserMessage) -> AuthFailure {
        if operation == .renewal, isAboutClient {
            return AuthFailure(
                .configuration, UserMessage("renewal.refused_by_provider", ["host": whose, "detail": error.line]),
                hint: "hint.check_client_authentication")
        }
        if operation == .renewal, grantOutcome == .kept {
            let hint: UserMessage =
                error.code == "invalid_dpop_proof"
                ? "hint.check_clock" : error.isAboutPlace ? "hint.try_from_allowed_network" : "hint.try_again_in_a_moment"
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("renewal.refused_by_provider", ["host": whose, "detail": error.line]), hint: hint
            )
        }
        if operation == .renewal {
            return AuthFailure(
                .signInAgain, UserMessage("session.ended_by_provider", ["host": whose, "detail": error.line]), hint: "hint.repeat_sign_in")
        }
        if operation == .devicePolling, error.code == "expired_token" { return notConfirmed(whose: whose) }
        let hint: UserMessage =
            switch error.word {
            // Keycloak's policies, and servers that know their clients, refuse all others with codes of many meanings.
            case _ where isClosedRegistration: UserMessage("hint.client_by_hand")
            case _ where isAboutClient, "invalid_client", "unauthorized_client": UserMessage("hint.check_client_authentication")
            case "access_denied", "authorization_declined", "user_cancelled_authorize", "user_cancelled_login":
                UserMessage("hint.sign_in_again_and_allow")
            case "invalid_scope": UserMessage("hint.check_scopes")
            case "redirect_mismatch", "redirect_uri_mismatch": UserMessage("hint.register_redirect_address")
            case "invalid_dpop_proof": UserMessage("hint.check_clock")
            case "bad_verification_code", "invalid_code", "invalid_grant": UserMessage("hint.sign_in_again_code_used_or_expired")
            default: UserMessage("hint.if_repeats_contact_administrator_of", ["host": whose])
            }
        return AuthFailure(
            .denied(code: error.code), UserMessage("http.action_refused", ["host": whose, "action": action, "detail": error.line]),
            hint: hint)
    }

    /// Whether a server does not register this program at all.
    private var isClosedRegistration: Bool {
        guard operation == .registration else { return false }
        return switch kind {
        case .notFound: true
        case .refused(_, let status), .refusedUnreadably(let status, _), .unexpectedStatus(let status, _):
            [401, 403, 404, 405, 410].contains(status)
        default: false
        }
    }

    /// Returns what to do about metadata of another issuer: at the same host, it is probably the provider's own name for the tenant.
    private func issuerHint(_ found: String) -> UserMessage {
        if let pattern = IssuerPattern(found), pattern.origin?.authority == host {
            return UserMessage("hint.set_issuer_pattern", ["pattern": found])
        }
        guard let issuer = Issuer(found), issuer.url.origin.authority == host else { return "hint.check_address_letter_by_letter" }
        return UserMessage("hint.set_issuer_as_published", ["issuer": found])
    }

    private func notConfirmed(whose: UserMessage) -> AuthFailure {
        AuthFailure(.timedOut, UserMessage("device.code_not_confirmed_in_time", ["host": whose]), hint: "hint.sign_in_again_for_new_code")
    }

    /// Returns whether an error in this member is a security failure, because nothing in the document can be trusted without it: the member
    /// says whose the document is (RFC 9728 section 3.3), what a token may be used for (RFC 6749 section 7.1, RFC 8693 section 2.2.1), or
    /// who signed in. In a renewal such an error is temporary: the session remains valid with its existing tokens.
    private func isSecurityCritical(_ member: String) -> Bool {
        switch operation {
        case .resourceMetadata: member == "resource"
        case .codeExchange, .devicePolling, .tokenExchange, .assertionGrant, .clientCredentials:
            ["token_type", "issued_token_type", "id_token"].contains(member)
        default: false
        }
    }

    /// The operation as a noun phrase.
    private var action: UserMessage { phrases.action }

    /// The document that was read, as a noun phrase.
    private var subject: UserMessage { phrases.subject }

    private var phrases: (action: UserMessage, subject: UserMessage) {
        switch operation {
        case .discovery: ("phrase.discovery", "phrase.provider_metadata")
        case .signingKeys: ("phrase.fetching_signing_keys", "phrase.key_set")
        case .authorization: ("phrase.the_sign_in", "phrase.authorization_response")
        case .codeExchange: ("phrase.the_code_exchange", "phrase.token_response")
        case .renewal: ("phrase.the_renewal", "phrase.token_response")
        case .idToken: ("phrase.the_id_token", "phrase.id_token")
        case .userInfo: ("phrase.userinfo", "phrase.userinfo_response")
        case .revocation: ("phrase.the_revocation", "phrase.revocation_response")
        case .introspection: ("phrase.the_introspection", "phrase.introspection_response")
        case .endSession: ("phrase.the_sign_out", "phrase.sign_out_response")
        case .deviceAuthorization: ("phrase.device_sign_in", "phrase.device_authorization_response")
        case .devicePolling: ("phrase.device_sign_in", "phrase.token_response")
        case .pushedAuthorization: ("phrase.the_pushed_request", "phrase.pushed_authorization_response")
        case .registration: ("phrase.the_registration", "phrase.registration_response")
        case .tokenExchange: ("phrase.the_token_exchange", "phrase.token_response")
        case .assertionGrant: ("phrase.the_assertion", "phrase.token_response")
        case .clientCredentials: ("phrase.the_client_credentials", "phrase.token_response")
        case .resourceMetadata: ("phrase.reading_resource_metadata", "phrase.resource_metadata")
        case .clientAuthentication: ("phrase.the_client_authentication", "phrase.client_authentication")
        case .proof: ("phrase.the_dpop_proof", "phrase.dpop_proof")
        case .stepUp: ("phrase.the_step_up", "phrase.new_sign_in")
        case .resource: ("phrase.the_request", "phrase.resource_response")
        }
    }
}

extension AuthFailure {
    /// Whether a server answered that it has no document at the URL.
    public var isMissingDocument: Bool { message.code == "http.document_not_found" }
}
