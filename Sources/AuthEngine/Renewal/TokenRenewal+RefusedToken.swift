internal import AuthModel
internal import OAuth
internal import SessionStore

/// Renews a session whose token a resource refused.
extension TokenRenewal {
    /// Returns the record with a new token in place of one that a resource refused.
    func recovered(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        // A refused ID token says nothing about the access token.
        let isAccess = request.wanted == .access
        let notRenewable = AuthFailure.tokenRejected(name, needsSignIn: isAccess && !record.summary.isRenewable)
        // Without a renewal, the token is of no more use, and the session needs a sign-in.
        if isAccess, !record.summary.isRenewable || !request.mayRenew { try await expire(record) }
        guard record.summary.isRenewable, request.mayRenew, isAccess || !SessionExtras(record.extras).isRenewedWithoutIDToken else {
            throw notRenewable
        }
        guard try context.providers.adapter(for: name.provider).mayRenewNow(record) else {
            throw AuthFailure(
                .signInAgain, UserMessage("token.rejected_after_renewal", ["session": name]),
                hint: UserMessage("hint.wait_or_sign_in_again", ["session": name]))
        }
        do throws(AuthFailure) {
            let renewed = try await renewed(record)
            guard isAccess || renewed.tokens?.idToken != request.refused else { throw notRenewable }
            return renewed
        } catch {
            // If the provider's own server refused the token, it is expired for every caller, and the next request renews it.
            let gate = CredentialGate(try context.providers.adapter(for: name.provider).configuration)
            if isAccess, error.isTransient, let resource = request.resource, gate.isProviderURL(resource, issuer: record.identity.issuer) {
                try? await expire(record)
            }
            throw error
        }
    }

    /// Marks a token that a resource refused as expired, so that the next caller gets a new one, or is told to sign in. Sends no request.
    private func expire(_ seen: SessionRecord) async throws(AuthFailure) {
        let now = context.time.now
        _ = try await context.sessions.change(seen.summary.name) { record in
            guard record.tokens?.accessToken == seen.tokens?.accessToken else { return }
            record.tokens?.accessExpiresAt = now
            record.summary.accessExpiresAt = now
            if !record.summary.isRenewable { record.summary.warnings.append(.tokenRejected(record.summary.name)) }
        }
        await context.events.announceSessions()
    }
}

extension SessionRecord {
    /// Returns whether a token is the session's current one of the wanted kind.
    func isCurrent(_ token: Secret, as wanted: TokenRequest.Wanted) -> Bool {
        (wanted == .access ? tokens?.accessToken : tokens?.idToken) == token
    }
}
