import AuthModel

extension EffectRunner {
    /// Reads what the first screen needs.
    func load() async -> Message {
        do throws(AuthFailure) {
            let seal = try await service.seal()
            let providers = try await service.providers()
            let sessions = try await service.sessions()
            return .loaded(
                seal, providers: providers, sessions: sessions, at: environment.time.now, takesPassphrase: await service.takesPassphrase())
        } catch {
            return .loadFailed(error)
        }
    }

    /// Passes the session service's own reports on until they end.
    func watch(_ post: @Sendable (Message) -> Void) async {
        for await event in await service.answerableEvents() { post(.serviceReported(event)) }
        if !Task.isCancelled { post(.serviceWentAway) }
    }

    /// Waits for a browser to come back; the app that leaves takes the port along.
    func awaitBrowser(_ way: BrowserReturn, _ post: @Sendable (Message) -> Void) async {
        do throws(AuthFailure) {
            post(.browserReturned(way.id, try await service.browserReturn(way.id)))
        } catch {
            post(.browserReturned(way.id, .failed(reason: error.summary, isQueued: false)))
        }
    }

    /// Takes a fresh token to the clipboard. The token lives in this function only.
    func copyToken(_ name: SessionName) async -> CopyOutcome {
        do throws(AuthFailure) {
            var request = TokenRequest(session: name, caller: Words.program)
            // Whoever pressed the key is the one who would be asked.
            request.consent = .given
            let grant = try await service.token(request)
            try grant.requireUnbound()
            return await environment.copySecret(grant.token) ? .copied(expiresAt: grant.expiresAt) : .noClipboard
        } catch {
            return .failed(error)
        }
    }

    /// Waits, and then takes a token off the clipboard. Cancelled where another one is copied meanwhile.
    func clearClipboard(_ post: @Sendable (Message) -> Void) async {
        let time = environment.time
        guard (try? await time.sleep(until: time.bootTime + CopyOutcome.timeOnClipboard)) != nil, !Task.isCancelled else { return }
        if await environment.clearSecret() { post(.clipboardCleared) }
    }

    func settings() async -> Result<TerminalAppSettings, AuthFailure> {
        do throws(AuthFailure) {
            return .success(try await environment.readSettings())
        } catch {
            return .failure(error)
        }
    }

    func saveTheme(_ name: String) async -> AuthFailure? {
        do throws(AuthFailure) {
            try await environment.saveTheme(name)
            return nil
        } catch {
            return error
        }
    }

    func save(_ change: SettingChange) async -> AuthFailure? {
        do throws(AuthFailure) {
            try await environment.saveSetting(change)
            return nil
        } catch {
            return error
        }
    }

    /// What a call came to, as a value.
    func result<Value: Sendable>(
        _ call: (any SessionService) async throws(AuthFailure) -> Value
    ) async -> Result<Value, AuthFailure> {
        do throws(AuthFailure) {
            return .success(try await call(service))
        } catch {
            return .failure(error)
        }
    }

    /// Why a call did not go through; `nil` when it did.
    func failure(_ call: (any SessionService) async throws(AuthFailure) -> Void) async -> AuthFailure? {
        do throws(AuthFailure) {
            try await call(service)
            return nil
        } catch {
            return error
        }
    }
}
