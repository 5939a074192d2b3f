internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    func renew(_ record: SessionRecord) async throws(RenewalFailure) -> Renewal {
        let ready: (metadata: ProviderMetadata, client: OAuthClient)
        do throws(AuthFailure) {
            let metadata = try await documents.metadata()
            try requireSameIssuer(record, metadata)
            ready = (metadata, try await client(metadata))
        } catch {
            throw RenewalFailure(error, .kept)
        }
        guard let old = record.tokens, let refreshToken = old.refreshToken else {
            throw RenewalFailure(
                AuthFailure(.signInAgain, "the session \(record.summary.name) has nothing to renew with", hint: "sign in again"), .ended)
        }
        var tokens = try await renewed(refreshToken, old: old, client: ready.client, metadata: ready.metadata)
        guard let idToken = tokens.idToken, let issuer = ready.metadata.issuer, record.identity.idTokenClaims["sub"] != nil else {
            // The old ID token still says who this is; one that nobody can check says nothing.
            tokens.idToken = old.idToken
            return Renewal(tokens: tokens, idTokenClaims: nil, extras: record.extras)
        }
        let validator = IDTokenValidator(
            issuer: issuer, clientID: record.clientID, announcedAlgorithms: ready.metadata.idTokenAlgorithms)
        do throws(AuthFailure) {
            let verified = try await validated(ready.metadata) { (keys) throws(OAuthError) in
                try validator.validateRenewed(
                    idToken, accessToken: tokens.accessToken, old: record.identity.idTokenClaims, keys: keys, now: environment.time.now)
            }
            return Renewal(tokens: tokens, idTokenClaims: verified.claims, extras: Self.extras(of: verified, metadata: ready.metadata))
        } catch {
            throw RenewalFailure(error, .spoilt)
        }
    }

    /// A refresh token goes to the issuer that gave it, whatever the configuration says today.
    private func requireSameIssuer(_ record: SessionRecord, _ metadata: ProviderMetadata) throws(AuthFailure) {
        let here = metadata.issuer?.text ?? metadata.authorizationEndpoint?.origin.description
        guard here == record.identity.issuer, record.clientID == configuration.clientID else {
            throw AuthFailure(
                .configuration, "the provider \(configuration.name) is configured otherwise than when \(record.summary.name) signed in",
                hint: "put its issuer and client_id back, or sign in again with: yett login \(configuration.name)")
        }
    }

    private func renewed(
        _ refreshToken: Secret, old: TokenSet, client: OAuthClient, metadata: ProviderMetadata
    ) async throws(RenewalFailure) -> TokenSet {
        let request: WebRequest
        do {
            request = try TokenEndpoint.renew(refreshToken, at: metadata, client: client)
        } catch {
            throw RenewalFailure(error.failure, .kept)
        }
        var isSecondTry = false
        while true {
            let response: WebResponse
            do { response = try await send(request) } catch { throw RenewalFailure(error, .kept) }
            do {
                return try TokenResponse.renewed(response, host: request.url.origin.authority, old: old, now: environment.time.now)
            } catch {
                // Some servers answer a dead grant with an empty 400, and some a passing fault: said twice, it is the former.
                if error.grantFate == .endedIfRepeated, !isSecondTry {
                    isSecondTry = true
                    continue
                }
                throw RenewalFailure(error.failure, error.grantFate == .kept ? .kept : .ended)
            }
        }
    }
}
