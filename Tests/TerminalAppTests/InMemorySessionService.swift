import AuthModel
import Synchronization
import Testing

@testable import TerminalApp

/// A session service in memory: it holds what it is given, and the test plays the provider.
final class InMemorySessionService: SessionService {
    struct Inside {
        var providers: [ProviderSummary] = []
        var sessions: [SessionSummary] = []
        var seal = StoreState.unlocked
        var passphrase = "correct horse"
        var receipt: [SignOutReceipt.Entry] = [.init(.revokeRefreshToken, .done), .init(.forget, .done)]
        var renewal: AuthFailure?
        var attempts: [(request: SignInRequest, events: AsyncStream<SignInEvent>.Continuation)] = []
        var cancelled: [SignInAttempt.ID] = []
        var signedOut: [SessionName] = []
        var pasted: [Secret] = []
        var codesAskedFor: [SignInAttempt.ID] = []
        var watchers: [AsyncStream<SessionServiceEvent>.Continuation] = []
    }

    let inside: Mutex<Inside>

    init(_ inside: Inside = Inside()) { self.inside = Mutex(inside) }

    /// Reports events of the provider or the engine to the newest attempt.
    func report(_ events: SignInEvent...) {
        let attempt = inside.withLock { $0.attempts.last?.events }
        for event in events { attempt?.yield(event) }
        if events.last?.isLast == true { attempt?.finish() }
    }

    /// Sets the sessions, and tells the watchers.
    func set(sessions: [SessionSummary]) {
        let watchers = inside.withLock { inside in
            inside.sessions = sessions
            return inside.watchers
        }
        for watcher in watchers { watcher.yield(.sessionsChanged(sessions)) }
    }

    /// What the tests of the terminal app use. Everything else is a failure.
    private static let handlers = {
        var handlers = OperationHandlers<InMemorySessionService>()
        handlers.on(ListProviders.self) { service, _ in service.inside.withLock { $0.providers } }
        handlers.on(ListSessions.self) { service, _ in service.inside.withLock { $0.sessions } }
        handlers.on(ShowSession.self) { service, operation throws(AuthFailure) in Sample.detail(try service.summary(operation.session)) }
        handlers.on(ListTokens.self) { service, operation throws(AuthFailure) in
            Sample.detail(try service.summary(operation.session)).tokens
        }
        handlers.on(ListActivity.self) { _, _ in [] }
        handlers.on(IssueToken.self) { service, operation throws(AuthFailure) in
            let session = try service.summary(operation.request.session)
            return IssuedToken(
                token: Secret("planted-token"), tokenType: "Bearer", expiresAt: session.accessExpiresAt, scopes: session.scopes,
                session: session.name)
        }
        handlers.on(RenewSession.self) { service, operation throws(AuthFailure) in
            if let failure = service.inside.withLock({ $0.renewal }) { throw failure }
            return try service.summary(operation.session)
        }
        handlers.on(InspectToken.self) { _, _ throws(AuthFailure) in throw AuthFailure(.bug, text: "inspection is not supported here") }
        handlers.on(PasteText.self) { service, operation in service.inside.withLock { $0.pasted.append(operation.text) } }
        handlers.on(RequestDeviceCode.self) { service, operation in service.inside.withLock { $0.codesAskedFor.append(operation.attempt) } }
        handlers.on(CancelSignIn.self) { service, operation in
            service.inside.withLock { $0.cancelled.append(operation.attempt) }
            service.report(.finished(.failure(AuthFailure(.cancelled, "process.cancelled"))))
        }
        handlers.on(SignOutSession.self) { service, operation throws(AuthFailure) in
            let session = try service.summary(operation.session)
            let left = service.inside.withLock { inside in
                inside.signedOut.append(operation.session)
                inside.sessions.removeAll { $0.name == session.name }
                return inside.sessions
            }
            service.tell(.sessionsChanged(left))
            return SignOutReceipt(session: session.name, entries: service.inside.withLock { $0.receipt })
        }
        handlers.on(StopWaitingForBrowser.self) { _, _ in }
        handlers.on(RemoveRegistration.self) { _, _ in false }
        handlers.on(ReadSeal.self) { service, _ in SealReport(state: service.inside.withLock { $0.seal }, needsPassphrase: true) }
        handlers.on(UnlockStore.self) { service, operation throws(AuthFailure) in
            let isRight = service.inside.withLock { inside in
                if inside.seal == .locked(isNew: true) { inside.passphrase = operation.passphrase.reveal() }
                guard operation.passphrase == Secret(inside.passphrase) else { return false }
                inside.seal = .unlocked
                return true
            }
            guard isRight else { throw AuthFailure(.configuration, text: "that passphrase does not open the store", hint: "type it again") }
            service.tell(.storeStateChanged(.unlocked))
            return .unlocked
        }
        handlers.on(LockStore.self) { service, _ in
            service.inside.withLock { $0.seal = .locked(isNew: false) }
            service.tell(.storeStateChanged(.locked(isNew: false)))
            return .locked(isNew: false)
        }
        return handlers
    }()

    func perform<Operation: SessionOperation>(_ operation: Operation) async throws(AuthFailure) -> Operation.Reply {
        try await Self.handlers.perform(operation, by: self)
    }

    func events(_ selection: SessionServiceEvent.Selection) async -> AsyncStream<SessionServiceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
        inside.withLock { $0.watchers.append(continuation) }
        return stream
    }

    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        let (stream, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        let number = inside.withLock { inside in
            inside.attempts.append((request, continuation))
            return inside.attempts.count
        }
        return SignInAttempt(id: SignInAttempt.ID("attempt \(number)"), events: stream)
    }

    func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {}

    /// Tells the watchers.
    func tell(_ event: SessionServiceEvent) {
        for watcher in inside.withLock({ $0.watchers }) { watcher.yield(event) }
    }

    private func summary(_ name: SessionName) throws(AuthFailure) -> SessionSummary {
        guard let session = inside.withLock({ $0.sessions.first { $0.name == name } }) else {
            throw AuthFailure(.notSignedIn, text: "no session is named \(name)")
        }
        return session
    }
}

/// A clock that does not advance.
struct StoppedClock: TimeSource {
    var now: Timestamp { Sample.now }
    var bootTime: Duration { .zero }
    func sleep(until deadline: Duration) async throws { throw CancellationError() }
}

/// Records what the app did in its environment, apart from its session service.
final class RecordingEnvironment: Sendable {
    struct Inside {
        var opened: [WebURL] = []
        var outcome = BrowserOutcome.opened
        var copied: [String] = []
        var copiedSecrets: [Secret] = []
        var savedSettings: [SettingChange] = []
        var requests: [ProviderDraft] = []
        var added: [ProviderOffer] = []
        /// The providers whose clients were registered again; nil if clients were registered by hand.
        var renewedClients: [ProviderName]? = []
        var settings = TerminalAppSettings(themes: Sample.themes, theme: "night")
    }

    let inside = Mutex(Inside())

    var environment: TerminalAppEnvironment {
        TerminalAppEnvironment(
            openBrowser: { url, _ in
                self.inside.withLock { inside in
                    inside.opened.append(url)
                    return inside.outcome
                }
            },
            copy: { text in
                self.inside.withLock { $0.copied.append(text) }; return true
            },
            copySecret: { secret in
                self.inside.withLock { $0.copiedSecrets.append(secret) }; return true
            },
            saveSetting: { change throws(AuthFailure) in self.inside.withLock { $0.savedSettings.append(change) } },
            onboarding: ProviderOnboarding(
                presets: Sample.presets,
                find: { draft throws(AuthFailure) in
                    self.inside.withLock { $0.requests.append(draft) }
                    return try Sample.finding(draft)
                },
                add: { offer throws(AuthFailure) in
                    self.inside.withLock { $0.added.append(offer) }
                    return offer.name
                },
                renewClient: { provider throws(AuthFailure) in
                    self.inside.withLock { inside in
                        inside.renewedClients?.append(provider)
                        return inside.renewedClients != nil
                    }
                }),
            readSettings: { () throws(AuthFailure) in self.inside.withLock { $0.settings } },
            time: StoppedClock(), settings: inside.withLock { $0.settings })
    }
}
