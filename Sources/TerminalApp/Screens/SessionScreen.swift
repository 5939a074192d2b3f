import AuthModel
import TerminalUI

/// One session: its identity, its redacted tokens, its claims with their meaning, and its actions.
struct SessionScreen: Screen {
    let name: SessionName
    var content: Content = .loading
    /// The access token while it is shown, and the time to hide it.
    private(set) var revealed: Revealed?
    /// The first visible line.
    var scroll = 0

    struct Revealed: Equatable, Sendable {
        var token: Secret
        var until: Timestamp
    }

    /// How long a token is shown.
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

    /// Returns the session as last reported: its state changes while the claims stay.
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
            return SessionActionObstacle.to(action.sessionAction, session, in: model)
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
        case .renew, .copyToken, .signOut, .forget, .makeActive: return action.sessionAction?.step(for: name) ?? .none
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
            // Claims are sealed too: they must not stay on the screen after a lock.
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

    func needsTicks(in model: AppModel) -> Bool { revealed != nil || summary(in: model)?.accessExpiresAt != nil }

    var openingCommands: [Command] { [.loadSession(name)] }
    var allowsProblemAbove: Bool { true }
    static func examples(of session: SessionName, in model: AppModel) -> [SessionScreen] { [SessionScreen(session)] }
}

extension SessionScreen.Action {
    /// Whether the action affects the session, and is not just navigation.
    var isAction: Bool {
        switch self {
        case .move, .back: false
        default: true
        }
    }

    var sessionAction: SessionAction? {
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

extension Destination {
    static func session(_ name: SessionName) -> Destination { Destination(SessionScreen(name)) }
}

extension SessionScreen {
    func title(in model: AppModel) -> String { (summary(in: model)?.name ?? name).description }

    func status(in model: AppModel) -> String {
        guard let session = summary(in: model) else { return "" }
        return TimeLeft(session, in: model).sentence
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let page = SessionPage(screen: self, model: model, glyphs: buffer.glyphs)
        let layout = page.layout(in: area)
        page.drawCard(in: layout.card.inset(columns: 1), into: &buffer)
        for part in layout.parts { part.document.draw(in: part.area, scroll: scroll, into: &buffer) }
        for part in layout.parts.dropLast() {
            let line = Rect(column: part.area.right, row: part.area.top, columns: 1, rows: part.area.rows)
            buffer.fill(line, with: buffer.glyphs.vertical, style: Style(.border))
        }
    }
}
