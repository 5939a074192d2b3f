import AuthModel
import Localization
import TerminalUI

/// The inspector: one token of a session at a time, with its parts, its times, its scopes and its claims.
struct InspectorScreen: Screen {
    /// A token that is shown in full for a short time.
    struct Revealed: Equatable, Sendable {
        var kind: TokenView.Kind
        var token: Secret
        var until: Timestamp
    }

    let name: SessionName
    private(set) var content = Loaded<[TokenView]>.loading
    private(set) var selected = 0
    /// The index of the selected line among ``claims``.
    private(set) var selectedClaim = 0
    private(set) var revealed: Revealed?
    private(set) var scroll = 0
    /// The provider's information about the user, for tokens that cannot be decoded.
    private(set) var userInfo: JSONValue?
    /// When the session received the displayed tokens.
    private var receivedAt: Timestamp?

    init(_ name: SessionName) { self.name = name }

    /// The tokens, those that can be decoded first.
    var tokens: [TokenView] {
        if case .loaded(let tokens) = content { tokens } else { [] }
    }

    /// The displayed token.
    var token: TokenView? { tokens.indices.contains(selected) ? tokens[selected] : nil }

    /// The parts of the displayed token with their members: what ↑ and ↓ select.
    var parts: [TokenPart] { token.map { TokenPart.parts(of: $0, userInfo: userInfo) } ?? [] }

    /// The members of all parts.
    var claims: [JSONValue.Member] { parts.flatMap(\.members) }

    func actions(in model: AppModel) -> [Action] {
        let session = model.session(name)
        let gone = SessionWords.gone
        let claim = claims.indices.contains(selectedClaim) ? claims[selectedClaim] : nil
        let choices: [Action] = (0..<Self.mostTokens).map { index in
            let kind = tokens.indices.contains(index) ? Words.token(tokens[index].kind) : nil
            return Action(
                "token-\(index + 1)", [NumberedTitles.key(index)],
                label: kind.map { tr("show the {1}", $0) } ?? tr("show token {1}", index + 1), isHinted: false,
                obstacle: kind == nil ? InspectorWords.nothingYet : nil, change: { $0.turn(to: index) })
        }
        let onlyToken = tokens.count < 2 ? tr("no other token") : nil
        return [
            Action(
                "next", [.tab, .right, .character("l")], label: tr("next token"), help: tr("go to the next token of the session"),
                obstacle: onlyToken,
                change: { $0.turn(by: 1) }),
            Action(
                "previous", [.backTab, .left, .character("h")], label: tr("previous token"), isHinted: false, obstacle: onlyToken,
                change: { $0.turn(by: -1) }),
            Action(
                "copy-claim", [.enter], label: tr("copy value"), help: tr("copy the value of the selected claim"),
                obstacle: claim == nil ? InspectorWords.noClaim : nil,
                result: claim.map { .run(.copyText(ClaimWords.plainValue($0.value))) } ?? .none),
            Action(
                "reveal", [.character("v")], label: revealed == nil ? SessionWords.keyReveal : SessionWords.keyMask,
                help: tr("show the whole token for 10 seconds"), obstacle: revealObstacle(in: model),
                run: { screen in
                    guard screen.revealed == nil, let kind = screen.token?.kind else {
                        screen.revealed = nil
                        return .none
                    }
                    return .run(.showToken(screen.name, kind == .id ? .id : .access))
                }),
            SessionAction.copyToken.row(for: session, missing: gone, in: model),
            SessionAction.renew.row(for: session, missing: gone, help: tr("fetch new tokens, and show what changed"), in: model),
            Action(
                "reload", [.character("R")], label: CommonWords.keyReload, isHinted: false, obstacle: model.lockObstacle,
                result: .run(.loadTokens(name))),
            Action("back", [.escape], label: CommonWords.keyBack, result: .back),
        ] + choices + Movement.actions(label: claims.isEmpty ? CommonWords.keyScroll : CommonWords.keyMove) { $0.move($1, in: model) }
    }

    private func revealObstacle(in model: AppModel) -> String? {
        if revealed != nil { return nil }
        if model.isPlain { return PlainWords.noReveal }
        if token?.kind == .refresh { return InspectorWords.refreshTokenNotShown }
        if token == nil { return InspectorWords.nothingYet }
        guard let session = model.session(name) else { return SessionWords.gone }
        return SessionAction.copyToken.obstacle(for: session, in: model)
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(
            selectedRow: claims.isEmpty ? nil : selectedClaim, needsTicks: revealed != nil || tokens.contains { $0.expiresAt != nil },
            openingCommands: [.loadTokens(name)], allowsProblemAbove: true)
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

    /// The maximum number of tokens of a session.
    private static let mostTokens = 3

    /// The titles of the tokens.
    var titles: NumberedTitles { NumberedTitles(names: tokens.map { Words.capitalized(Words.token($0.kind)) }, selected: selected) }

    private mutating func turn(by step: Int) { turn(to: (selected + step + tokens.count) % max(1, tokens.count)) }

    private mutating func turn(to token: Int) {
        selected = token
        selectedClaim = 0
        scroll = 0
        revealed = nil
    }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        if case .row(let row) = element { select(row, in: model) }
        return .none
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        // What arrives after a lock was asked for before it.
        case .tokensLoaded(name, .success(let tokens)): return model.isLocked ? .none : show(tokens, in: model)
        case .tokensLoaded(name, .failure(let failure)): content = .failed(failure)
        case .sessionLoaded(name, .success(let detail)): if !model.isLocked { userInfo = detail.identity.userInfo }
        case .tokenShown(name, let wanted, .success(let token), let at):
            let kind: TokenView.Kind = wanted == .id ? .id : .access
            // The user may have selected another token meanwhile.
            guard self.token?.kind == kind, !model.isLocked else { return .none }
            revealed = Revealed(kind: kind, token: token, until: at + SessionScreen.revealTime)
            (scroll, selectedClaim) = (0, 0)
        case .ticked(let now): if let until = revealed?.until, now >= until { revealed = nil }
        case .renewalEnded(name, .success), .unlockEnded(nil): return .run(.loadTokens(name))
        case .serviceReported(.sessionsChanged):
            // The agent may have renewed the session.
            guard !tokens.isEmpty, let received = model.session(name)?.receivedAt, received != receivedAt else { return .none }
            receivedAt = received
            return .run(.loadTokens(name))
        case .serviceReported(.storeStateChanged), .loaded:
            guard model.isLocked else { return .none }
            // Claims are sealed too: they must not stay on the screen after a lock.
            content = .loading
            revealed = nil
            userInfo = nil
        default: break
        }
        return .none
    }

    /// Shows new tokens, with the same one selected. Asks for the user information if a token has no claims.
    private mutating func show(_ tokens: [TokenView], in model: AppModel) -> ScreenResult {
        let kind = token?.kind
        let ordered = tokens.filter { $0.header != nil } + tokens.filter { $0.header == nil }
        content = .loaded(ordered)
        receivedAt = model.session(name)?.receivedAt
        selected = ordered.firstIndex { $0.kind == kind } ?? min(selected, max(0, ordered.count - 1))
        selectedClaim = min(selectedClaim, max(0, claims.count - 1))
        return tokens.contains { $0.kind == .access && $0.claimCount == 0 } ? .run(.loadSession(name)) : .none
    }

    static func examples(of session: SessionName, in model: AppModel) -> [InspectorScreen] { [InspectorScreen(session)] }
}

extension Destination {
    static func inspector(_ name: SessionName) -> Destination { Destination(InspectorScreen(name)) }
}

/// The boxes of the inspector on a large terminal: the token and its claims side by side, and where they leave space, the session and what
/// happened to it below them.
struct InspectorPanels: Equatable {
    var token: Rect
    /// Empty for a token without claims, which has the whole width.
    var claims: Rect
    var session = Rect(Size.zero)
    var activity = Rect(Size.zero)

    /// The minimum size of the area for boxes.
    private static let minimum = Size(columns: 112, rows: 20)
    /// The minimum number of rows for a token without claims, so that the session is always below it.
    private static let minimumRowsWithoutClaims = 24
    /// The minimum width of the token, for the line with its times.
    private static let minimumTokenColumns = 54
    /// The minimum number of rows for the session below its token.
    private static let minimumSessionRows = 15

    /// Returns nil if there is too little space.
    init?(in area: Rect, hasClaims: Bool, isPlain: Bool) {
        let rows = hasClaims ? Self.minimum.rows : Self.minimumRowsWithoutClaims
        guard !isPlain, area.columns >= Self.minimum.columns, area.rows >= rows else { return nil }
        (token, claims) = hasClaims ? Self.halves(of: area) : (area, Rect(Size.zero))
    }

    private static func halves(of area: Rect) -> (Rect, Rect) { area.splitLeft(max(minimumTokenColumns, area.columns * 2 / 5)) }

    /// The boxes of the token.
    var contents: [Rect] { [token, claims].filter { !$0.isEmpty }.map(Panel().content) }

    /// Uses the rows that a content of `rows` leaves for the session.
    mutating func addSession(below rows: Int) {
        let height = rows + 2
        guard token.rows - height >= Self.minimumSessionRows else { return }
        let below = Rect(
            column: token.left, row: token.top + height, columns: token.columns + claims.columns, rows: token.rows - height)
        (session, activity) = Self.halves(of: below)
        token.size = Size(columns: token.columns, rows: height)
        if !claims.isEmpty { claims.size = Size(columns: claims.columns, rows: height) }
    }

    /// The lines and spaces around the name of the token's box and the titles beside it.
    private static let aroundName = 10

    func draw(_ screen: InspectorScreen, in model: AppModel, into buffer: inout ScreenBuffer) {
        let titles = screen.titles.place(inFrameOf: token, beside: InspectorPage.frameColumns)
        // The titles say which token it is.
        let hasName = token.columns >= screen.titles.columns + SafeText.width(of: InspectorWords.token) + Self.aroundName
        let name = screen.token.map { Words.capitalized(Words.token($0.kind)) } ?? InspectorWords.title
        let kind = titles == nil ? name : hasName ? InspectorWords.token : ""
        let header = screen.parts.first { $0.kind == .header }?.members.count ?? 0
        let isInHeader = claims.isEmpty || screen.selectedClaim < header
        buffer.draw(Panel(kind, surface: .screen, isFocused: isInHeader), in: token)
        if let titles { screen.titles.draw(in: titles, into: &buffer) }
        if !claims.isEmpty { buffer.draw(Panel(InspectorWords.claims, surface: .screen, isFocused: !isInHeader), in: claims) }
        guard !session.isEmpty, let summary = model.session(screen.name) else { return }
        let panel = Panel(screen.name.description, surface: .screen)
        buffer.draw(panel, in: session)
        let inside = panel.content(of: session)
        page(of: summary, in: model, size: inside.size, glyphs: buffer.glyphs).draw(in: inside, into: &buffer)
        LatestActivity(entries: model.activity.filter { $0.session == screen.name }, model: model, namesSessions: false)
            .draw(in: activity, key: nil, into: &buffer)
    }

    /// Returns what the session says of its tokens: how long they live, and who uses them.
    private func page(of session: SessionSummary, in model: AppModel, size: Size, glyphs: GlyphSet) -> Document {
        let card = SessionCard(session: session, model: model, glyphs: glyphs, times: .short)
        let page = SessionPage(
            screen: SessionScreen(session.name), model: model, glyphs: glyphs, isPane: true, columns: size.columns)
        var document = Document()
        document.hasMargin = false
        card.addState(to: &document)
        document.heading(SessionWords.lifetime)
        card.addLifetime(to: &document)
        document.heading(SessionWords.use)
        card.addLastUse(to: &document)
        page.addHistory(of: session, to: &document)
        // Nothing scrolls here: a heading without its first row says nothing.
        guard document.rows(columns: size.columns).count + 3 <= size.rows else { return document }
        page.addPrograms(of: session, to: &document)
        return document
    }
}

/// The texts of the token inspector.
package enum InspectorWords {
    package static var title: String { tr("Inspect") }
    package static var key: String { tr("inspect") }
    package static var help: String { tr("decode the tokens and verify them") }
    package static var payload: String { tr("Payload") }
    package static var claims: String { tr("Claims") }
    /// The title of the box of a token, beside the titles of all.
    package static var token: String { tr("Token") }
    package static var introspection: String { tr("Introspection by the provider") }
    package static var opaque: String { tr("This token is not a JWT: only the provider can read it.") }
    package static var noUserInfo: String { tr("The provider gave no user information for it.") }
    package static var noClaim: String { tr("this token has no claim to copy") }
    package static var sinceRenewal: String { tr("Changed by the last renewal") }
    package static var onlyTimes: String { tr("Only times and identifiers.") }
    package static var nothingYet: String { tr("no token to show") }
    package static var refreshTokenNotShown: String { tr("a refresh token is never shown: it does not leave the session service") }
}
