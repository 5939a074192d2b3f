import AuthModel
import Localization
import TerminalUI

/// The inspector: one token of a session at a time, with its parts, its times, its scopes and its claims.
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
        case copyClaim
        case reveal
        case copyToken
        case renew
        case reload
        case back
    }

    let name: SessionName
    private(set) var content = Content.loading
    private(set) var selected = 0
    /// The index of the selected line among ``claims``.
    private(set) var selectedClaim = 0
    private(set) var revealed: Revealed?
    private(set) var scroll = 0
    /// What the provider said about the user, for tokens that cannot be decoded.
    private(set) var userInfo: JSONValue?
    /// Whether tokens were shown before, so that the screen keeps the selected one.
    private var hasOpened = false
    /// When the session received the displayed tokens.
    private var receivedAt: Timestamp?

    init(_ name: SessionName) { self.name = name }

    var tokens: [TokenView] {
        if case .loaded(let tokens) = content { tokens } else { [] }
    }

    /// The displayed token.
    var token: TokenView? { tokens.indices.contains(selected) ? tokens[selected] : nil }

    /// The parts of the displayed token with their members: what ↑ and ↓ select.
    var parts: [TokenPart] { token.map { TokenPart.parts(of: $0, userInfo: userInfo) } ?? [] }

    /// The members of all parts.
    var claims: [JSONValue.Member] { parts.flatMap(\.members) }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(
                Key.tab, .right, .character("l"), action: Action.next, label: InspectorWords.keyNext, help: InspectorWords.helpNext),
            KeyBinding(.backTab, .left, .character("h"), action: .previous, label: InspectorWords.keyPrevious, isHinted: false),
            KeyBinding(.enter, action: .copyClaim, label: InspectorWords.keyCopyClaim, help: InspectorWords.helpCopyClaim),
            KeyBinding(
                .character("v"), action: .reveal, label: revealed == nil ? SessionWords.keyReveal : SessionWords.keyMask,
                help: InspectorWords.helpReveal),
            KeyBinding(.character("y"), action: .copyToken, label: SessionWords.keyCopy, help: SessionWords.helpCopy),
            KeyBinding(.character("r"), action: .renew, label: SessionWords.keyRenew, help: InspectorWords.helpRenew),
            KeyBinding(.character("R"), action: .reload, label: SessionWords.keyReload, isHinted: false),
            KeyBinding(.escape, action: .back, label: CommonWords.keyBack),
        ] + Movement.bindings(Action.move, label: claims.isEmpty ? CommonWords.keyScroll : CommonWords.keyMove)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .move, .back: return nil
        case .reload: return model.isLocked ? LockWords.locked : nil
        case .next, .previous: return tokens.count < 2 ? InspectorWords.oneToken : nil
        case .copyClaim: return claims.indices.contains(selectedClaim) ? nil : InspectorWords.noClaim
        case .reveal where revealed != nil: return nil
        case .reveal where model.isPlain: return PlainWords.noReveal
        case .reveal:
            if token?.kind == .refresh { return InspectorWords.refreshTokenNotShown }
            return token == nil ? InspectorWords.nothingYet : requested(.copyToken, in: model)
        case .copyToken: return requested(.copyToken, in: model)
        case .renew: return requested(.renew, in: model)
        }
    }

    private func requested(_ action: SessionAction, in model: AppModel) -> String? {
        guard let session = model.session(name) else { return SessionWords.gone }
        return SessionActionObstacle.to(action, session, in: model)
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement): move(movement, in: model)
        case .next: turn(by: 1)
        case .previous: turn(by: -1)
        case .copyClaim:
            guard claims.indices.contains(selectedClaim) else { return .none }
            return .run(.copyText(ClaimWords.plainValue(claims[selectedClaim].value)))
        case .reveal:
            guard revealed == nil, let kind = token?.kind else {
                revealed = nil
                return .none
            }
            return .run(.showToken(name, kind == .id ? .id : .access))
        case .copyToken: return SessionAction.copyToken.step(for: name)
        case .renew: return SessionAction.renew.step(for: name)
        case .reload: return .run(.loadTokens(name))
        case .back: return .back
        }
        return .none
    }

    private mutating func move(_ movement: Movement, in model: AppModel) {
        let size = Frame.bodySize(model.size)
        guard claims.isEmpty else {
            return select(movement.from(selectedClaim, count: claims.count, page: max(1, size.rows - 4)), in: model)
        }
        let positions = InspectorPage(screen: self, model: model).scrollPositions(in: size)
        scroll = movement.from(scroll, count: positions, page: size.rows)
    }

    /// Selects a claim, and scrolls only as far as necessary, so that the second click of a pair finds the same line.
    private mutating func select(_ claim: Int, in model: AppModel) {
        selectedClaim = claim
        scroll = InspectorPage(screen: self, model: model).scroll(in: Frame.bodySize(model.size))
    }

    private mutating func turn(by step: Int) {
        selected = (selected + step + tokens.count) % max(1, tokens.count)
        selectedClaim = 0
        scroll = 0
        revealed = nil
    }

    func selectedRow(in model: AppModel) -> Int? { claims.isEmpty ? nil : selectedClaim }
    mutating func mark(row: Int, in model: AppModel) { select(row, in: model) }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .tokensLoaded(name, .success(let tokens)): return show(tokens, in: model)
        case .tokensLoaded(name, .failure(let failure)): content = .failed(failure)
        case .sessionLoaded(name, .success(let detail)): userInfo = detail.identity.userInfo
        case .tokenShown(name, let wanted, .success(let token), let at):
            let kind: TokenView.Kind = wanted == .id ? .id : .access
            // The user may have selected another token meanwhile.
            guard self.token?.kind == kind else { return .none }
            revealed = Revealed(kind: kind, token: token, until: at + SessionScreen.revealTime)
            (scroll, selectedClaim) = (0, 0)
        case .ticked(let now): if let until = revealed?.until, now >= until { revealed = nil }
        case .renewalEnded(name, .success), .unlockEnded(nil): return .run(.loadTokens(name))
        case .serviceReported(.sessionsChanged):
            // The agent may have renewed the session.
            guard !tokens.isEmpty, let received = model.session(name)?.receivedAt, received != receivedAt else { return .none }
            receivedAt = received
            return .run(.loadTokens(name))
        case .serviceReported(.sealChanged(.locked)):
            // Claims are sealed too: they must not stay on the screen after a lock.
            content = .loading
            revealed = nil
            userInfo = nil
        default: break
        }
        return .none
    }

    /// Shows new tokens. Asks for the user information if a token has no claims.
    private mutating func show(_ tokens: [TokenView], in model: AppModel) -> ScreenResult {
        content = .loaded(tokens)
        receivedAt = model.session(name)?.receivedAt
        if !hasOpened, let most = tokens.map(\.richness).max() {
            selected = tokens.firstIndex { $0.richness == most } ?? 0
            hasOpened = true
        }
        selected = min(selected, max(0, tokens.count - 1))
        selectedClaim = min(selectedClaim, max(0, claims.count - 1))
        return tokens.contains { $0.kind == .access && $0.claimCount == 0 } ? .run(.loadSession(name)) : .none
    }

    func needsTicks(in model: AppModel) -> Bool { revealed != nil || tokens.contains { $0.expiresAt != nil } }

    var openingCommands: [Command] { [.loadTokens(name)] }
    var allowsProblemAbove: Bool { true }
    static func examples(of session: SessionName, in model: AppModel) -> [InspectorScreen] { [InspectorScreen(session)] }
}

extension Destination {
    static func inspector(_ name: SessionName) -> Destination { Destination(InspectorScreen(name)) }
}

/// The texts of the token inspector.
package enum InspectorWords {
    package static var title: String { tr("Inspect") }
    package static var key: String { tr("inspect") }
    package static var help: String { tr("decode the tokens and verify them") }
    package static var keyNext: String { tr("next token") }
    package static var helpNext: String { tr("go to the next token of the session") }
    package static var keyPrevious: String { tr("previous token") }
    package static var helpReveal: String { tr("show the whole token for 10 seconds") }
    package static var keyCopyClaim: String { tr("copy value") }
    package static var helpCopyClaim: String { tr("copy the value of the selected claim") }
    package static var helpRenew: String { tr("fetch new tokens, and show what changed") }
    package static var header: String { tr("Header") }
    package static var payload: String { tr("Payload") }
    package static var signature: String { tr("Signature") }
    package static var introspection: String { tr("Introspection by the provider") }
    package static var opaque: String { tr("This token is not a JWT: only the provider can read it.") }
    package static var opaqueRefreshToken: String {
        tr("Only the provider can read a refresh token, and it never leaves the session service.")
    }
    package static var noUserInfo: String { tr("The provider gave no user information for it.") }
    package static var noClaim: String { tr("this token has no claim to copy") }
    package static func characters(_ count: Int) -> String { plural(count, "[{1} character]", "[{1} characters]") }
    package static var now: String { tr("now") }
    package static var received: String { tr("received") }
    package static var sinceRenewal: String { tr("Changed by the last renewal") }
    package static var onlyTimes: String { tr("Only times and identifiers.") }
    package static var oneToken: String { tr("no other token") }
    package static var nothingYet: String { tr("no token to show") }
    package static var refreshTokenNotShown: String { tr("a refresh token is never shown: it does not leave the session service") }
    package static func revealed(_ token: String, _ left: String) -> String {
        tr("The {1}. It is masked in {2}; press v to mask it now.", token, left)
    }
}
