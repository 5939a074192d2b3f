internal import AuthEngine
internal import AuthModel
internal import OAuth

extension SignInStep {
    static let publisher = SignInStep(id: "publisher", title: "step.openweb_sign_in_at_publisher")
    static let guest = SignInStep(id: "guest", title: "step.openweb_guest_session")
    static let codeA = SignInStep(id: "code_a", title: "step.openweb_get_code")
    static let codeB = SignInStep(id: "code_b", title: "step.openweb_confirm_at_publisher")
    static let complete = SignInStep(id: "complete", title: "step.openweb_complete")
}

extension OpenWebAdapter {
    func signIn(
        _ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome {
        guard request.purpose == .signIn else {
            throw AuthFailure(.configuration, UserMessage("openweb.sign_up_at_publisher", ["provider": configuration.name]))
        }
        // A session of another gateway is ignored, and not shown to this one.
        let before = await sessions.latest(of: configuration.name).flatMap { isOwn($0) ? $0 : nil }
        try refuseSignedIn(before, request)
        let ended = ended(before, by: request)
        attempt.report(.hosts(authorization: host, token: publisherHost ?? host))
        let proof = try await attempt.step(.publisher) { () async throws(AuthFailure) in
            try await publisherCredentials(request, attempt: attempt, sessions: sessions)
        }
        var state = OpenWebState(identifier: before.flatMap { identifier(of: $0, for: request) })
        let identified = state
        let (opened, left) = try await attempt.step(.guest) { () async throws(AuthFailure) -> (Opened, SessionRecord?) in
            // The vendor's own client logs out first as well. From here on the old session has ended, even if the sign-in fails.
            guard let ended, await logOut(ended) else { return (try await self.opened(identified), nil) }
            await sessions.markEnded(ended, as: nil)
            return (try await self.opened(identified), ended)
        }
        state = opened.state
        state.policy = await sitePolicy()
        let guest = try guestGrant(state, opened.user)
        await sessions.keepGuest(guest, for: configuration.name)
        if let left {
            await sessions.markEnded(left, as: Renewal(tokens: guest.tokens, idTokenClaims: nil, state: .guest, extras: guest.extras))
        }
        let result = try await completedSignIn(proof, state: state, attempt: attempt)
        // The gateway has one user at a time. A named account keeps its label, so that no other user gets it.
        if let ended, result.identity.subject != ended.identity.subject {
            if request.account == nil {
                await sessions.signOut(ended, providerKnows: left != nil)
            } else if let left {
                await sessions.markEnded(left, as: nil)
            }
        }
        return .session(result)
    }

    /// Returns the session that a sign-in ends first: a user's session, and of the named account if the request names one.
    private func ended(_ before: SessionRecord?, by request: SignInRequest) -> SessionRecord? {
        guard request.replacesSession, let before, before.tokens != nil, before.summary.recordedState != .guest,
            request.account == nil || request.account == before.summary.name.account
        else { return nil }
        return before
    }

    /// Refuses a sign-in if the user is already signed in, as the vendor's own client does. The user can name another account, or end the
    /// session first.
    private func refuseSignedIn(_ record: SessionRecord?, _ request: SignInRequest) throws(AuthFailure) {
        guard let record, request.account == nil, !request.replacesSession, record.tokens != nil,
            record.summary.recordedState == .signedIn
        else { return }
        throw AuthFailure(
            .alreadySignedIn, UserMessage("session.already_signed_in", ["session": record.summary.name]),
            hint: "hint.end_first_or_other_account")
    }

    /// Returns the identifier of this installation. A guest and the same account keep it; another account gets a new one.
    private func identifier(of record: SessionRecord, for request: SignInRequest) -> String? {
        guard request.account == nil || request.account == record.summary.name.account || record.summary.isAnonymousGuest else {
            return nil
        }
        return OpenWebExtras(record.extras).identifier
    }

    /// Signs out at the gateway. Returns whether the session has ended there; a new session is opened in either case.
    private func logOut(_ record: SessionRecord) async -> Bool {
        var state = OpenWebState(authorization: record.tokens?.accessToken, extras: OpenWebExtras(record.extras))
        do throws(AuthFailure) {
            _ = try await gateway.post("/user/logout", state: &state, when: "phrase.openweb_signing_out")
            return true
        } catch {
            return error.kind == .denied(code: "403")
        }
    }

    /// Opens a guest session, with which every sign-in starts.
    func opened(_ state: OpenWebState) async throws(AuthFailure) -> Opened {
        var state = state
        state.authorization = nil
        let user = try await gateway.post("/user/login", state: &state, when: "phrase.openweb_starting_guest_session")
        guard state.authorization != nil else { throw noAuthorization("phrase.openweb_starting_guest_session") }
        return Opened(state: state, user: user)
    }

    /// A guest session that has just been opened.
    struct Opened: Sendable {
        var state: OpenWebState
        var user: JSONValue
    }

    /// Turns a guest session into a user's session.
    ///
    /// - Parameter attempt: where the steps are reported; `nil` for a renewal, which has no observer.
    func completedSignIn(_ proof: OpenWebCredentials, state: OpenWebState, attempt: AttemptChannel?) async throws(AuthFailure)
        -> SignInResult
    {
        let begun = state
        var state = state
        var user: JSONValue?
        switch proof.voucher {
        case .providerToken(let provider, let token):
            (state, user) = try await step(.complete, attempt) { () async throws(AuthFailure) in
                try await signedInByProvider(provider, token, begun)
            }
        case .jwt(let secret):
            let started = try await step(.codeA, attempt) { () async throws(AuthFailure) in try await self.started(begun, secret: secret) }
            (state, user) = (started.state, started.user)
            if user == nil { (state, user) = try await completed(started.codeA, proof: proof, state: state, attempt: attempt) }
        case .codes:
            let started = try await step(.codeA, attempt) { () async throws(AuthFailure) in try await self.started(begun, secret: nil) }
            (state, user) = try await completed(started.codeA, proof: proof, state: started.state, attempt: attempt)
        }
        guard let user, let identity = identity(user), let tokens = tokens(state, user) else {
            throw AuthFailure(
                .denied(code: nil), "openweb.complete_sso_nothing",
                hint: "hint.openweb_check_publisher_user")
        }
        return SignInResult(
            tokens: tokens, identity: identity, clientID: settings.spotID,
            extras: OpenWebExtras(state, publisherToken: proof.publisherToken, base: proof.base).json,
            warnings: user.isRegistered ? [] : [UserMessage("openweb.publisher_user_not_registered")])
    }

    private func step<Value: Sendable>(
        _ step: SignInStep, _ attempt: AttemptChannel?, _ work: () async throws(AuthFailure) -> Value
    ) async throws(AuthFailure) -> Value {
        guard let attempt else { return try await work() }
        return try await attempt.step(step, work)
    }

    // MARK: The steps

    /// The answer of `sso/start`: a code, or the user at once if a JWT was sent.
    struct Started: Sendable {
        var state: OpenWebState
        var codeA: String?
        var user: JSONValue?
    }

    private func started(_ state: OpenWebState, secret: Secret?) async throws(AuthFailure) -> Started {
        var state = state
        let what = UserMessage("phrase.openweb_starting_sso")
        guard let own = secret ?? state.authorization else { throw noAuthorization(what) }
        let answer = try await gateway.post(
            "/user/sso/start", ["spot_id": .string(settings.spotID), "secret": .string(own.reveal())], state: &state, when: what)
        if secret != nil, answer["success"]?.bool == false {
            throw AuthFailure(
                .denied(code: nil), "openweb.start_sso_rejected_jwt",
                hint: "hint.openweb_check_jwt_site_and_expiry")
        }
        if secret != nil, answer["auto_complete"]?.bool == true {
            return Started(state: state, codeA: nil, user: answer["user"] ?? .object([]))
        }
        guard let code = answer["code_a"]?.string, !code.isEmpty else {
            throw AuthFailure(
                .denied(code: nil), "openweb.start_sso_no_code_a", hint: "hint.openweb_ask_sso_enabled")
        }
        return Started(state: state, codeA: code, user: nil)
    }

    private func completed(
        _ codeA: String?, proof: OpenWebCredentials, state: OpenWebState, attempt: AttemptChannel?
    ) async throws(AuthFailure) -> (OpenWebState, JSONValue?) {
        guard let codeA, let backend else {
            throw AuthFailure(
                .configuration, UserMessage("openweb.no_codeb_url", ["provider": configuration.name]),
                hint: UserMessage("hint.openweb_set_codeb_url_and_publisher", ["provider": configuration.name]))
        }
        let codeB = try await step(.codeB, attempt) { () async throws(AuthFailure) in try await self.codeB(for: codeA, proof, at: backend) }
        return try await step(.complete, attempt) { () async throws(AuthFailure) -> (OpenWebState, JSONValue?) in
            var state = state
            let what = UserMessage("phrase.openweb_completing_sso")
            let answer = try await gateway.post("/user/sso/complete", ["code_b": .string(codeB)], state: &state, when: what)
            guard answer["success"]?.bool == true else {
                throw AuthFailure(
                    .denied(code: nil), "openweb.complete_sso_rejected_code",
                    hint: "hint.openweb_publisher_code_invalid")
            }
            guard let user = answer["user"], user.userID != nil else {
                throw AuthFailure(.denied(code: nil), "openweb.complete_sso_no_user", hint: "hint.openweb_contact_if_repeated")
            }
            return (state, user)
        }
    }

    private func signedInByProvider(
        _ provider: String, _ token: Secret, _ state: OpenWebState
    ) async throws(AuthFailure) -> (OpenWebState, JSONValue?) {
        var state = state
        let body: JSONValue = ["provider": .string(provider), "token": .string(token.reveal())]
        let answer = try await gateway.post(
            "/user/sso/provider", body, state: &state, when: UserMessage("phrase.openweb_sending_token", ["provider": provider]))
        guard let user = answer["user"], user.userID != nil else {
            throw AuthFailure(
                .denied(code: nil), UserMessage("openweb.no_user_for_token", ["provider": provider]),
                hint: "hint.openweb_check_provider_and_token")
        }
        return (state, user)
    }
}
