import AuthModel
import TerminalAppModel
import TerminalUI

/// The inspector: one token of a session at a time, with its claims, its verification and its expiry.
struct InspectorScreen: Screen {
    enum Content: Equatable, Sendable {
        case loading
        case loaded([TokenView])
        case failed(AuthFailure)
    }

    /// A token that is shown in full for a short time.
    struct Revealed: Equatable, Sendable {
        var kind: TokenView.Kind
        var token: Secret
        var until: Timestamp
    }

    enum Action: Hashable, Sendable {
        case move(Movement)
        case next
        case previous
        case reveal
        case copyToken
        case reload
        case back
    }

    let name: SessionName
    private(set) var content = Content.loading
    private(set) var selected = 0
    private(set) var revealed: Revealed?
    private(set) var scroll = 0

    init(_ name: SessionName) { self.name = name }

    var tokens: [TokenView] {
        if case .loaded(let tokens) = content { tokens } else { [] }
    }

    /// The displayed token.
    var token: TokenView? { tokens.indices.contains(selected) ? tokens[selected] : nil }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(
                Key.tab, .right, .character("l"), action: Action.next, label: InspectorWords.keyNext, help: InspectorWords.helpNext),
            KeyBinding(.backTab, .left, .character("h"), action: .previous, label: InspectorWords.keyPrevious, isHinted: false),
            KeyBinding(
                .character("v"), action: .reveal, label: revealed == nil ? SessionWords.keyReveal : SessionWords.keyMask,
                help: InspectorWords.helpReveal),
            KeyBinding(.character("y"), action: .copyToken, label: SessionWords.keyCopy, help: SessionWords.helpCopy),
            KeyBinding(.character("R"), action: .reload, label: SessionWords.keyReload, isHinted: false),
            KeyBinding(.escape, action: .back, label: CommonWords.keyBack),
        ] + Movement.bindings(Action.move, label: CommonWords.keyScroll)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .move, .back: return nil
        case .reload: return model.isLocked ? LockWords.locked : nil
        case .next, .previous: return tokens.count < 2 ? InspectorWords.oneToken : nil
        case .reveal where revealed != nil: return nil
        case .reveal where model.isPlain: return PlainWords.noReveal
        case .reveal:
            if token?.kind == .refresh { return InspectorWords.refreshTokenNotShown }
            return token == nil ? InspectorWords.nothingYet : requested(in: model)
        case .copyToken: return requested(in: model)
        }
    }

    private func requested(in model: AppModel) -> String? {
        guard let session = model.session(name) else { return SessionWords.gone }
        return SessionActionObstacle.to(.copyToken, session, in: model)
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement):
            let size = Frame.bodySize(model.size)
            let positions = InspectorPage(screen: self, model: model).scrollPositions(in: size)
            scroll = movement.from(scroll, count: positions, page: size.rows)
        case .next: turn(by: 1)
        case .previous: turn(by: -1)
        case .reveal:
            guard revealed == nil, let kind = token?.kind else {
                revealed = nil
                return .none
            }
            return .run(.showToken(name, kind == .id ? .id : .access))
        case .copyToken: return SessionAction.copyToken.step(for: name)
        case .reload: return .run(.loadTokens(name))
        case .back: return .back
        }
        return .none
    }

    private mutating func turn(by step: Int) {
        selected = (selected + step + tokens.count) % max(1, tokens.count)
        scroll = 0
        revealed = nil
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .tokensLoaded(name, .success(let tokens)):
            content = .loaded(tokens)
            selected = min(selected, max(0, tokens.count - 1))
        case .tokensLoaded(name, .failure(let failure)): content = .failed(failure)
        case .tokenShown(name, let wanted, .success(let token), let at):
            let kind: TokenView.Kind = wanted == .id ? .id : .access
            // The user may have selected another token meanwhile.
            guard self.token?.kind == kind else { return .none }
            revealed = Revealed(kind: kind, token: token, until: at + SessionScreen.revealTime)
            scroll = 0
        case .ticked(let now): if let until = revealed?.until, now >= until { revealed = nil }
        case .renewalEnded(name, .success), .unlockEnded(nil): return .run(.loadTokens(name))
        case .serviceReported(.sealChanged(.locked)):
            // Claims are sealed too: they must not stay on the screen after a lock.
            content = .loading
            revealed = nil
        default: break
        }
        return .none
    }

    func needsTicks(in model: AppModel) -> Bool { revealed != nil || token?.expiresAt != nil }

    var openingCommands: [Command] { [.loadTokens(name)] }
    var allowsProblemAbove: Bool { true }
    static func examples(of session: SessionName, in model: AppModel) -> [InspectorScreen] { [InspectorScreen(session)] }
}

extension Destination {
    static func inspector(_ name: SessionName) -> Destination { Destination(InspectorScreen(name)) }
}
