internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Renewal of a session after the gateway refused it, without asking the user. If the publisher no longer confirms the user, a guest
/// session replaces it. If the publisher cannot be reached, the session is kept.
extension OpenWebAdapter {
    /// The minimum time between two renewals of a session after a refusal.
    private static let pause: Duration = .seconds(60)

    func mayRenewNow(_ record: SessionRecord) -> Bool {
        guard let last = OpenWebExtras(record.extras).recoveredAt else { return true }
        return environment.time.now - last >= Self.pause
    }

    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        let fresh: (state: OpenWebState, user: JSONValue)
        do throws(AuthFailure) {
            fresh = try await freshGuest(record)
        } catch {
            throw RenewalFailure(error, .kept)
        }
        guard record.summary.recordedState != .guest else { return try guestRenewal(fresh, of: record) }
        do throws(AuthFailure) {
            guard try await isRenewableUser(record) else {
                throw AuthFailure(
                    .signInAgain, UserMessage("openweb.session_unknown", ["session": record.summary.name]), hint: again(record))
            }
            let result = try await limited { () async throws(AuthFailure) in
                guard let proof = try await silentCredentials(record, sessions: sessions) else {
                    throw AuthFailure(
                        .signInAgain, UserMessage("openweb.renewal_needs_user", ["session": record.summary.name]), hint: again(record))
                }
                return try await completedSignIn(proof, state: fresh.state, attempt: nil)
            }
            guard result.identity.subject == record.identity.subject else { throw try await userMismatch(result, record) }
            var extras = OpenWebExtras(result.extras)
            extras.recoveredAt = environment.time.now
            return Renewal(tokens: result.tokens, idTokenClaims: nil, extras: extras.json)
        } catch {
            if error.kind == .security { throw RenewalFailure(error, .untrustedAnswer) }
            // A temporary failure of the publisher or the gateway says nothing about the user.
            if error.isTransient { throw RenewalFailure(temporaryFailure(error, record), .kept) }
            let guest = try guestRenewal(fresh, of: record)
            throw RenewalFailure(
                AuthFailure(
                    .signInAgain, UserMessage("openweb.renewal_failed", ["session": record.summary.name, "detail": error.message]),
                    hint: again(record)),
                .replaced(guest))
        }
    }

    /// Returns the failure of a renewal that is tried again with the next request that the gateway refuses.
    private func temporaryFailure(_ failure: AuthFailure, _ record: SessionRecord) -> AuthFailure {
        var failure = failure
        failure.message = UserMessage("openweb.renewal_failed", ["session": record.summary.name, "detail": failure.message])
        failure.hint = UserMessage("hint.session_kept_try_again")
        return failure
    }

    private func again(_ record: SessionRecord) -> UserMessage { UserMessage("hint.sign_in_again", ["provider": record.summary.name]) }

    /// Opens a guest session at the gateway.
    private func freshGuest(_ record: SessionRecord) async throws(AuthFailure) -> (state: OpenWebState, user: JSONValue) {
        var state = OpenWebState(authorization: nil, extras: OpenWebExtras(record.extras))
        let user = try await gateway.post("/user/data", state: &state, when: "phrase.openweb_requesting_session")
        guard state.authorization != nil else { throw noAuthorization("phrase.openweb_requesting_session") }
        return (state, user)
    }

    private func guestRenewal(
        _ fresh: (state: OpenWebState, user: JSONValue), of record: SessionRecord
    ) throws(RenewalFailure) -> Renewal {
        guard let tokens = tokens(fresh.state, fresh.user) else {
            throw RenewalFailure(noAuthorization("phrase.openweb_requesting_session"), .kept)
        }
        let before = OpenWebExtras(record.extras)
        return Renewal(
            tokens: tokens, idTokenClaims: nil, state: .guest,
            extras: OpenWebExtras(fresh.state, publisherToken: before.publisherToken, base: before.base).json)
    }

    /// Whether the site has single sign-on, and the session's user is registered.
    private func isRenewableUser(_ record: SessionRecord) async throws(AuthFailure) -> Bool {
        guard record.identity.userInfo.isRegistered else { return false }
        let site = try await gateway.siteConfiguration()
        return (site["init"]?["sso_enabled"] ?? site["sso_enabled"])?.bool == true
    }

    /// The publisher now confirms another user: ends the new session, so that no user is signed in, and returns the failure.
    private func userMismatch(_ result: SignInResult, _ record: SessionRecord) async throws(AuthFailure) -> AuthFailure {
        var state = OpenWebState(authorization: result.tokens.accessToken, extras: OpenWebExtras(result.extras))
        _ = try? await gateway.post("/user/logout", state: &state, when: "phrase.openweb_signing_out")
        return AuthFailure(
            .security, UserMessage("openweb.renewal_other_user", ["session": record.summary.name]),
            hint: UserMessage("hint.openweb_same_user_or_sign_out", ["session": record.summary.name]))
    }

    /// Runs `work` within the time limit of a silent renewal.
    private func limited(_ work: @escaping @Sendable () async throws(AuthFailure) -> SignInResult) async throws(AuthFailure) -> SignInResult
    {
        let time = environment.time
        let deadline = time.bootTime + settings.renewalTimeout
        let outcome = await withTaskGroup(of: Result<SignInResult, AuthFailure>?.self) { group in
            group.addTask {
                do throws(AuthFailure) { return .success(try await work()) } catch { return .failure(error) }
            }
            group.addTask {
                do { try await time.sleep(until: deadline) } catch { return nil }
                return .failure(
                    AuthFailure(
                        .timedOut, UserMessage("openweb.publisher_did_not_confirm", ["seconds": settings.renewalTimeout.wholeSeconds]),
                        hint: "hint.try_again"))
            }
            var outcome: Result<SignInResult, AuthFailure>?
            while outcome == nil, let next = await group.next() { outcome = next }
            group.cancelAll()
            return outcome ?? .failure(AuthFailure(.cancelled, "openweb.renewal_cancelled"))
        }
        return try outcome.get()
    }
}
