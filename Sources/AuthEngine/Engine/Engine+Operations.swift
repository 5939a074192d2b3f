public import AuthModel
internal import SessionStore

extension Engine: SessionService {
    package nonisolated func perform<Operation: SessionOperation>(
        _ operation: Operation
    ) async throws(AuthFailure) -> Operation.Reply {
        try await Self.handlers.perform(operation, by: self)
    }

    private static let handlers = {
        var handlers = OperationHandlers<Engine>()

        // Sessions
        handlers.on(ListProviders.self) { engine, _ throws(AuthFailure) in
            let (providers, sessions) = (engine.context.providers, engine.context.sessions)
            let all = try await sessions.all()
            return providers.summaries(sessions: all, active: await sessions.accounts.accounts(among: all))
        }
        handlers.on(ReadProviderDetails.self) { engine, operation throws(AuthFailure) in
            try await engine.context.providers.adapter(for: operation.provider).details()
        }
        handlers.on(ListSessions.self) { engine, _ throws(AuthFailure) in try await engine.context.sessions.all() }
        handlers.on(ShowSession.self) { engine, operation throws(AuthFailure) in try await engine.inspection.session(operation.session) }
        handlers.on(ChooseDefaultAccount.self) { engine, operation throws(AuthFailure) in
            try await engine.context.sessions.activate(operation.account, at: operation.provider)
        }
        handlers.on(ListActivity.self) { engine, operation throws(AuthFailure) in
            try engine.context.environment.recorder?.recorded(operation.limit) ?? []
        }

        // Tokens
        handlers.on(IssueToken.self) { engine, operation throws(AuthFailure) in try await engine.issuing.token(operation.request) }
        handlers.on(CreateProof.self) { engine, operation throws(AuthFailure) in
            try await ResourceProof(context: engine.context, admission: engine.admission).proof(operation.request)
        }
        handlers.on(RenewSession.self) { engine, operation throws(AuthFailure) in
            try await engine.renewal.renewed(engine.context.sessions.record(operation.session)).summary
        }
        handlers.on(AdoptToken.self) { engine, operation throws(AuthFailure) in
            try await engine.resources.adopt(
                operation.token, inPlaceOf: operation.old, in: operation.session, from: operation.resource)
        }
        handlers.on(ReadDerivedCredential.self) { engine, operation throws(AuthFailure) in
            try await engine.derivedCredentials.credential(for: operation.purpose, operation.request)
        }
        handlers.on(KeepDerivedCredential.self) { engine, operation throws(AuthFailure) in
            try await engine.derivedCredentials.keep(operation.credential, of: operation.session)
        }
        handlers.on(ListTokens.self) { engine, operation throws(AuthFailure) in try await engine.inspection.tokens(of: operation.session) }
        handlers.on(InspectToken.self) { engine, operation throws(AuthFailure) in
            try await engine.inspection.inspect(operation.token, at: operation.provider)
        }
        handlers.on(ListRemoteTokens.self) { engine, operation throws(AuthFailure) in try await engine.remote.tokens(of: operation.session)
        }
        handlers.on(RevokeRemoteToken.self) { engine, operation throws(AuthFailure) in
            try await engine.remote.revoke(operation.id, of: operation.session)
        }

        // Sign-in attempts
        handlers.on(PasteText.self) { engine, operation throws(AuthFailure) in
            try await engine.attempts.reporter(of: operation.attempt).pastes.submit(operation.text)
        }
        handlers.on(SubmitAnswers.self) { engine, operation throws(AuthFailure) in
            try await engine.attempts.reporter(of: operation.attempt).forms.submit(operation.answers)
        }
        handlers.on(RequestDeviceCode.self) { engine, operation throws(AuthFailure) in
            try await engine.attempts.reporter(of: operation.attempt).deviceCodes.request()
        }
        handlers.on(CancelSignIn.self) { engine, operation in await engine.attempts.cancel(operation.attempt) }
        // In this process, the caller of a token request asks the user itself.
        handlers.on(AnswerQuestion.self) { _, _ throws(AuthFailure) in throw TokenConsentRequest.isOver }

        // Sign-out
        handlers.on(EndSession.self) { engine, operation throws(AuthFailure) in
            try await engine.signingOut.signOut(operation.session, mode: operation.mode)
        }
        handlers.on(AwaitBrowserReturn.self) { engine, operation throws(AuthFailure) in try await engine.returns.outcome(of: operation.id) }
        handlers.on(StopWaitingForBrowser.self) { engine, operation in await engine.returns.stopWaiting(for: operation.id) }

        // Registered clients
        handlers.on(KeepRegistration.self) { engine, operation throws(AuthFailure) in
            try await engine.registrations.keep(operation.management)
        }
        handlers.on(RemoveRegistration.self) { engine, operation throws(AuthFailure) in
            try await engine.registrations.unregister(
                operation.clientID, at: operation.issuer, caFile: operation.caFile, for: engine)
        }

        // The store. Without one, only a store with a passphrase counts as locked.
        handlers.on(ReadSeal.self) { engine, _ in
            SealReport(state: engine.storeSeal.state, needsPassphrase: engine.context.store.seal == .passphrase)
        }
        handlers.on(UnlockStore.self) { engine, operation throws(AuthFailure) in
            try await engine.storeSeal.unlock(passphrase: operation.passphrase)
            return engine.storeSeal.state
        }
        handlers.on(LockStore.self) { engine, _ throws(AuthFailure) in
            try await engine.storeSeal.lock(clearing: engine.narrowedTokens, engine.renewals.unsaved)
            return engine.storeSeal.state
        }
        return handlers
    }()

    /// Starts a sign-in attempt. The store must be writable.
    package nonisolated func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        try await signingIn.start(request)
    }

    /// Returns the engine's events from now on, including changes by other processes. Within a process the activity costs nothing.
    package nonisolated func events(_ selection: SessionServiceEvent.Selection) async -> AsyncStream<SessionServiceEvent> {
        await context.events.stream()
    }

    package nonisolated func unlockIfNoPassphraseNeeded() async throws(AuthFailure) { try await storeSeal.unlockIfNoPassphraseNeeded() }

    package nonisolated func deliverRevocations() async -> Timestamp? { await revocations.deliver() }

    /// Waits until this process holds no session lock, and refuses new ones.
    package nonisolated func retire() async { await context.store.retire() }

    /// Asks a provider whether it knows the client, public or confidential. Kinds without an authorization server are not asked. Needs an
    /// unlocked store, which holds the secrets of clients that this program registered.
    ///
    /// - Throws: `.denied` with `invalid_client` (RFC 6749 section 5.2) if the server does not know the client; another failure if it could
    ///   not be asked.
    public func checkClient(of provider: ProviderName) async throws(AuthFailure) {
        try await (context.providers.adapter(for: provider) as? any ClientChecking)?.checkClient()
    }
}
