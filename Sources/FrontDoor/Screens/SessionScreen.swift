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

    /// The session as the keeper last reported it: its states change while the claims stay.
    func summary(in world: World) -> SessionSummary? {
        if let session = world.session(name) { return session }
        guard case .loaded(let detail) = content else { return nil }
        return world.session(detail.summary.name)
    }

    func bindings(in world: World) -> [KeyBinding<Action>] {
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
        ] + SessionWish.activation(of: summary(in: world)?.name ?? name, Action.makeActive, in: world)
            + Movement.bindings(Action.move, label: CommonWords.keyScroll)
    }

    func obstacle(to action: Action, in world: World) -> String? {
        switch action {
        case .move, .back: return nil
        case .reload: return world.isLocked ? LockWords.locked : nil
        case .signIn, .inspect: return world.isLocked ? LockWords.locked : nil
        case .reveal where revealed != nil: return nil
        case .reveal where world.isPlain: return PlainWords.noReveal
        case .reveal:
            guard let session = summary(in: world) else { return SessionWords.gone }
            return SessionObstacle.to(.copyToken, session, in: world)
        case .renew, .copyToken, .signOut, .forget, .makeActive:
            guard let session = summary(in: world) else { return SessionWords.gone }
            return SessionObstacle.to(action.wish, session, in: world)
        }
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        let name = summary(in: world)?.name ?? name
        switch action {
        case .move(let movement):
            let positions = SessionPage(screen: self, world: world).scrollPositions(in: Frame.bodySize(world.size))
            scroll = movement.from(scroll, count: positions, page: Frame.bodySize(world.size).rows)
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
        case .signIn: return .open(.signingIn(world.signInRequest(for: name)))
        case .renew, .copyToken, .signOut, .forget, .makeActive: return action.wish?.step(for: name) ?? .none
        }
    }

    mutating func receive(_ message: Message, in world: World) -> Step {
        switch message {
        case .sessionLoaded(name, .success(let detail)): content = .loaded(detail)
        case .sessionLoaded(name, .failure(let failure)): content = .failed(failure)
        case .renewalEnded(let renewed, .success) where renewed == summary(in: world)?.name: return .run(.loadSession(name))
        case .tokenRevealed(let told, .success(let token), let at) where told == name || told == summary(in: world)?.name:
            revealed = Revealed(token: token, until: at + Self.revealTime)
            scroll = 0
        case .ticked(let now): if let until = revealed?.until, now >= until { revealed = nil }
        case .unlockEnded(nil): return .run(.loadSession(name))
        case .keeperReported(.sealChanged(.locked)):
            // Claims are sealed: they must not outlive the lock on a screen.
            content = .loading
            revealed = nil
        case .keeperReported(.sessionsChanged):
            if case .loaded(let detail) = content, let session = summary(in: world), session.receivedAt != detail.summary.receivedAt {
                return .run(.loadSession(name))
            }
        default: break
        }
        return .none
    }

    func isTimed(in world: World) -> Bool { revealed != nil || summary(in: world)?.accessExpiresAt != nil }
}

extension SessionScreen.Action {
    /// Whether something is done with the session, and the person does not only look elsewhere.
    var isDeed: Bool {
        switch self {
        case .move, .back: false
        default: true
        }
    }

    var wish: SessionWish? {
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
