import AuthModel

extension EffectRunner {
    /// Reads the data for the first screen.
    func load() async -> Message {
        do throws(AuthFailure) {
            let seal = try await service.perform(ReadSeal())
            let providers = try await service.providers()
            let sessions = try await service.sessions()
            return .loaded(seal, providers: providers, sessions: sessions, at: environment.time.now)
        } catch {
            return .loadFailed(error)
        }
    }

    /// Reads the running bridges.
    func bridges() async -> Message { .bridgesLoaded(await environment.bridges(), at: environment.time.now) }

    /// Forwards the session service's events until they end.
    func watch(_ post: @Sendable (Message) -> Void) async {
        for await event in await service.events(.interactive) { post(.serviceReported(event)) }
        if !Task.isCancelled { post(.serviceWentAway) }
    }

    /// Waits for the browser to return after a sign-out; closing the app also closes the port.
    func awaitBrowser(_ way: BrowserReturn, _ post: @Sendable (Message) -> Void) async {
        do throws(AuthFailure) {
            post(.browserReturned(way.id, try await service.browserReturn(way.id)))
        } catch {
            post(.browserReturned(way.id, .failed(reason: error.message, isQueued: false)))
        }
    }

    /// Copies a fresh token to the clipboard. The token exists only inside this function.
    func copyToken(_ name: SessionName) async -> CopyOutcome {
        do throws(AuthFailure) {
            let issued = try await service.token(consentedRequest(name))
            try issued.requireUnbound()
            return await environment.copySecret(issued.token) ? .copied(expiresAt: issued.expiresAt) : .noClipboard
        } catch {
            return .failed(error)
        }
    }

    /// Opens the console as a role. The credentials exist only inside this function.
    func openConsole(of name: SessionName, as role: AccountRole) async -> AuthFailure? {
        let operation = IssueRoleCredentials(of: role, consentedRequest(name))
        return await failure(try await environment.openConsole(try await service.perform(operation).secret, name.provider))
    }

    /// Returns the request for what the user takes by a key. The user who pressed it would be the one to give consent.
    func consentedRequest(_ name: SessionName, _ wanted: TokenRequest.Wanted = .access) -> TokenRequest {
        var request = TokenRequest(session: name, wanted: wanted, caller: .verbatim(Words.program))
        request.consent = .given
        return request
    }

    /// Waits, then clears a token from the clipboard. Cancelled if another token is copied meanwhile.
    func clearClipboard(_ post: @Sendable (Message) -> Void) async {
        let time = environment.time
        guard (try? await time.sleep(until: time.bootTime + CopyOutcome.timeOnClipboard)) != nil, !Task.isCancelled else { return }
        if await environment.clearSecret() { post(.clipboardCleared) }
    }

    /// Returns the outcome of a call as a value.
    func result<Value: Sendable>(_ call: @autoclosure () async throws(AuthFailure) -> Value) async -> Result<Value, AuthFailure> {
        do throws(AuthFailure) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }

    /// Returns the failure of a call; nil if it succeeded.
    func failure(_ call: @autoclosure () async throws(AuthFailure) -> Void) async -> AuthFailure? {
        do throws(AuthFailure) {
            try await call()
            return nil
        } catch {
            return error
        }
    }

    func find(_ draft: ProviderDraft) async -> Result<ProviderFinding, AuthFailure> {
        await result(try await onboarding().find(draft))
    }

    func add(_ offer: ProviderOffer) async -> Result<ProviderName, AuthFailure> {
        await result(try await onboarding().add(offer))
    }

    private func onboarding() throws(AuthFailure) -> ProviderOnboarding {
        guard let onboarding = environment.onboarding else { throw AuthFailure(.configuration, text: AddProviderWords.cannotAdd) }
        return onboarding
    }
}
