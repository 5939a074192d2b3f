import AuthModel
import Synchronization
import Testing

@testable import TerminalApp
@testable import TerminalAppModel

/// A session service in memory: it holds what it is given, and the test plays the provider.
final class InMemorySessionService: SessionService {
    struct Inside {
        var providers: [ProviderSummary] = []
        var sessions: [SessionSummary] = []
        var seal = SealState.unlocked
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

    func providers() async throws(AuthFailure) -> [ProviderSummary] { inside.withLock { $0.providers } }
    func sessions() async throws(AuthFailure) -> [SessionSummary] { inside.withLock { $0.sessions } }
    func seal() async -> SealState { inside.withLock { $0.seal } }

    func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail { Sample.detail(try summary(name)) }

    func changes() async -> AsyncStream<SessionServiceEvent> { await events() }

    func events() async -> AsyncStream<SessionServiceEvent> {
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

    func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure) { inside.withLock { $0.pasted.append(text) } }

    func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure) {
        inside.withLock { $0.codesAskedFor.append(attempt) }
    }

    func cancel(_ attempt: SignInAttempt.ID) async {
        inside.withLock { $0.cancelled.append(attempt) }
        report(.finished(.failure(AuthFailure(.cancelled, "process.cancelled"))))
    }

    func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary {
        if let failure = inside.withLock({ $0.renewal }) { throw failure }
        return try summary(name)
    }

    func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        let session = try summary(request.session)
        return IssuedToken(
            token: Secret("planted-token"), tokenType: "Bearer", expiresAt: session.accessExpiresAt, scopes: session.scopes,
            session: session.name)
    }

    func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        let session = try summary(name)
        let left = inside.withLock { inside in
            inside.signedOut.append(name)
            inside.sessions.removeAll { $0.name == session.name }
            return inside.sessions
        }
        tell(.sessionsChanged(left))
        return SignOutReceipt(session: session.name, entries: inside.withLock { $0.receipt })
    }

    func inspect(_ token: Secret, at provider: ProviderName?) async throws(AuthFailure) -> TokenView {
        throw AuthFailure(.bug, text: "inspection is not supported here")
    }

    func unlock(passphrase: Secret) async throws(AuthFailure) {
        let isRight = inside.withLock { inside in
            if inside.seal == .locked(isNew: true) { inside.passphrase = passphrase.reveal() }
            guard passphrase == Secret(inside.passphrase) else { return false }
            inside.seal = .unlocked
            return true
        }
        guard isRight else { throw AuthFailure(.configuration, text: "that passphrase does not open the store", hint: "type it again") }
        tell(.sealChanged(.unlocked))
    }

    func lock() async throws(AuthFailure) {
        inside.withLock { $0.seal = .locked(isNew: false) }
        tell(.sealChanged(.locked(isNew: false)))
    }

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
        var savedThemes: [String] = []
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
            saveTheme: { name throws(AuthFailure) in self.inside.withLock { $0.savedThemes.append(name) } },
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
