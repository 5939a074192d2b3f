import AuthModel
import TerminalUI

/// One session: who it is, its tokens redacted, its claims with their meaning, and everything that can be done with it.
struct SessionScreen: Screen {
    let name: SessionName
    var content: Content = .loading
    /// The access token while the person looks at it, and until when.
    private(set) var revealed: Revealed?
    /// The first line in sight.
    var scroll = 0

    struct Revealed: Equatable, Sendable {
        var token: Secret
        var until: Timestamp
    }

    /// How long a token can be looked at.
    static let revealTime = Duration.seconds(10)

    enum Content: Equatable, Sendable {
        case loading
        case loaded(SessionDetail)
        case failed(AuthFailure)
    }

    enum Action: Hashable, Sendable {
        case move(Movement)
        case renew
        case copyToken
        case reveal
        case inspect
        case signOut
        case forget
        case makeActive
        case signIn
        case reload
        case back
    }

    init(_ name: SessionName) { self.name = name }

    /// The session as the session service last reported it: its states change while the claims stay.
    func summary(in model: AppModel) -> SessionSummary? {
        if let session = model.session(name) { return session }
        guard case .loaded(let detail) = content else { return nil }
        return model.session(detail.summary.name)
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.character("r"), action: Action.renew, label: SessionWords.keyRenew, help: SessionWords.helpRenew),
            KeyBinding(.character("y"), action: .copyToken, label: SessionWords.keyCopy, help: SessionWords.helpCopy),
            KeyBinding(
                .character("v"), action: .reveal, label: revealed == nil ? SessionWords.keyReveal : SessionWords.keyMask,
                help: SessionWords.helpReveal, isHinted: revealed != nil),
            KeyBinding(.character("i"), action: .inspect, label: InspectorWords.key, help: InspectorWords.help),
            KeyBinding(.character("s"), action: .signIn, label: SessionWords.keySignIn, help: SessionWords.helpSignIn),
            KeyBinding(.character("o"), action: .signOut, label: SessionWords.keySignOut, help: SessionWords.helpSignOut),
            KeyBinding(.character("x"), action: .forget, label: SessionWords.keyForget, help: SessionWords.helpForget, isHinted: false),
            KeyBinding(.escape, .left, .character("h"), action: .back, label: CommonWords.keyBack),
            KeyBinding(.character("R"), action: .reload, label: SessionWords.keyReload, isHinted: false),
        ] + SessionAction.activation(of: summary(in: model)?.name ?? name, Action.makeActive, in: model)
            + Movement.bindings(Action.move, label: CommonWords.keyScroll)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .move, .back: return nil
        case .reload: return model.isLocked ? LockWords.locked : nil
        case .signIn, .inspect: return model.isLocked ? LockWords.locked : nil
        case .reveal where revealed != nil: return nil
        case .reveal where model.isPlain: return PlainWords.noReveal
        case .reveal:
            guard let session = summary(in: model) else { return SessionWords.gone }
            return SessionActionObstacle.to(.copyToken, session, in: model)
        case .renew, .copyToken, .signOut, .forget, .makeActive:
            guard let session = summary(in: model) else { return SessionWords.gone }
            return SessionActionObstacle.to(action.wish, session, in: model)
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        let name = summary(in: model)?.name ?? name
        switch action {
        case .move(let movement):
            let positions = SessionPage(screen: self, model: model).scrollPositions(in: Frame.bodySize(model.size))
            scroll = movement.from(scroll, count: positions, page: Frame.bodySize(model.size).rows)
            return .none
        case .back: return .back
        case .reveal:
            guard revealed == nil else {
                revealed = nil
                return .none
            }
            return .run(.revealToken(name))
        case .reload: return .run(.loadSession(name))
        case .inspect: return .open(.inspector(name))
        case .signIn: return .open(.signingIn(model.signInRequest(for: name)))
        case .renew, .copyToken, .signOut, .forget, .makeActive: return action.wish?.step(for: name) ?? .none
        }
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .sessionLoaded(name, .success(let detail)): content = .loaded(detail)
        case .sessionLoaded(name, .failure(let failure)): content = .failed(failure)
        case .renewalEnded(let renewed, .success) where renewed == summary(in: model)?.name: return .run(.loadSession(name))
        case .tokenRevealed(let told, .success(let token), let at) where told == name || told == summary(in: model)?.name:
            revealed = Revealed(token: token, until: at + Self.revealTime)
            scroll = 0
        case .ticked(let now): if let until = revealed?.until, now >= until { revealed = nil }
        case .unlockEnded(nil): return .run(.loadSession(name))
        case .serviceReported(.sealChanged(.locked)):
            // Claims are sealed: they must not outlive the lock on a screen.
            content = .loading
            revealed = nil
        case .serviceReported(.sessionsChanged):
            if case .loaded(let detail) = content, let session = summary(in: model), session.receivedAt != detail.summary.receivedAt {
                return .run(.loadSession(name))
            }
        default: break
        }
        return .none
    }

    func isTimed(in model: AppModel) -> Bool { revealed != nil || summary(in: model)?.accessExpiresAt != nil }
}

extension SessionScreen.Action {
    /// Whether something is done with the session, and the person does not only look elsewhere.
    var isAction: Bool {
        switch self {
        case .move, .back: false
        default: true
        }
    }

    var wish: SessionAction? {
        switch self {
        case .renew: .renew
        case .copyToken: .copyToken
        case .signOut: .signOut
        case .forget: .forget
        case .makeActive: .makeActive
        default: nil
        }
    }
}
