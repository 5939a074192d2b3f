package import AuthModel
import Localization
import TerminalUI

/// One session: its identity, its redacted tokens, its claims with their meaning, and its actions.
struct SessionScreen: Screen {
    let name: SessionName
    var content = Loaded<SessionDetail>.loading
    /// The access token while it is shown, and the time to hide it.
    private(set) var revealed: Revealed?
    /// Whether this screen asked for the token, and not the inspector above it.
    private var awaitsToken = false
    /// The visible part. On a wide terminal the overview has the others beside it.
    private(set) var tab = SessionDetailsPane.Tab.overview
    /// The first visible line.
    var scroll = 0

    struct Revealed: Equatable, Sendable {
        var token: Secret
        var until: Timestamp
    }

    /// The time for which a token is shown.
    static let revealTime = Duration.seconds(10)

    init(_ name: SessionName) { self.name = name }

    /// Returns the session as last reported: its state changes while the claims stay.
    func summary(in model: AppModel) -> SessionSummary? {
        if let session = model.session(name) { return session }
        guard case .loaded(let detail) = content else { return nil }
        return model.session(detail.summary.name)
    }

    func actions(in model: AppModel) -> [Action] {
        let rows = self.rows(in: model)
        guard needsNewSignIn(in: model) else { return rows }
        // Where only a new sign-in helps, it is first.
        return rows.filter { $0.binding.action == "sign-in" } + rows.filter { $0.binding.action != "sign-in" }
    }

    private func needsNewSignIn(in model: AppModel) -> Bool {
        summary(in: model).map { model.state(of: $0).needsNewSignIn } ?? false
    }

    private func rows(in model: AppModel) -> [Action] {
        let session = summary(in: model)
        let name = session?.name ?? name
        let gone = SessionWords.gone
        let keySignIn = needsNewSignIn(in: model) ? SessionWords.signInAgain : CommonWords.keySignIn
        return [
            SessionAction.renew.row(for: session, missing: gone, in: model),
            SessionAction.copyToken.row(for: session, missing: gone, in: model),
            Action(
                "reveal", [.character("v")], label: revealed == nil ? SessionWords.keyReveal : SessionWords.keyMask,
                help: tr("show the whole access token for 10 seconds"), isHinted: revealed != nil, obstacle: revealObstacle(in: model),
                run: { screen in
                    guard screen.revealed != nil else {
                        screen.awaitsToken = true
                        return .run(.showToken(name, .access))
                    }
                    screen.revealed = nil
                    return .none
                }),
            Action(
                "inspect", [.character("i")], label: InspectorWords.key, help: InspectorWords.help, obstacle: model.lockObstacle,
                result: .open(.inspector(name))),
            Action(
                "sign-in", [.character("s")], label: keySignIn, help: SessionWords.helpSignIn, obstacle: model.lockObstacle,
                result: .open(.signingIn(model.signInRequest(for: name)))),
            SessionAction.signOut.row(for: session, missing: gone, in: model),
            SessionAction.forget.row(for: session, missing: gone, isHinted: false, in: model),
            Action("back", [.escape, .left, .character("h")], label: CommonWords.keyBack, result: .back),
            Action(
                "reload", [.character("R")], label: CommonWords.keyReload, isHinted: false, obstacle: model.lockObstacle,
                result: .run(.loadSession(name))),
        ] + SessionAction.defaultChoice(of: name, session, missing: gone, in: model)
            + SessionAction.roles(of: session, .character("c"), in: model) + moves(in: model)
    }

    /// Returns the actions that choose a part, and those that scroll. Read line by line, the page has all parts.
    private func moves(in model: AppModel) -> [Action] {
        let parts: [Action] = model.isPlain ? [] : SessionDetailsPane.Tab.actions { $0.show($1) }
        return parts
            + Movement.scrolling(
                \.scroll, positions: SessionPage(screen: self, model: model).scrollPositions(in: Frame.bodySize(model.size)),
                in: model)
    }

    private mutating func show(_ tab: SessionDetailsPane.Tab) {
        self.tab = tab
        scroll = 0
    }

    private func revealObstacle(in model: AppModel) -> String? {
        if revealed != nil { return nil }
        if model.isPlain { return PlainWords.noReveal }
        guard let session = summary(in: model) else { return SessionWords.gone }
        return SessionAction.copyToken.obstacle(for: session, in: model)
    }

    /// Whether an action affects the session, and is not just navigation.
    static func isAboutSession(_ action: String) -> Bool {
        action != "back" && !action.hasPrefix("move-") && !action.hasPrefix("tab-")
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(
            needsTicks: revealed != nil || summary(in: model)?.accessExpiresAt != nil, openingCommands: [.loadSession(name)],
            allowsProblemAbove: true)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        // What arrives after a lock was asked for before it.
        case .sessionLoaded(name, .success(let detail)): if !model.isLocked { content = .loaded(detail) }
        case .sessionLoaded(name, .failure(let failure)): content = .failed(failure)
        case .renewalEnded(let renewed, .success) where renewed == summary(in: model)?.name: return .run(.loadSession(name))
        case .tokenShown(let told, .access, let result, let at) where awaitsToken && (told == name || told == summary(in: model)?.name):
            awaitsToken = false
            guard !model.isLocked, case .success(let token) = result else { return .none }
            revealed = Revealed(token: token, until: at + Self.revealTime)
            scroll = 0
        case .ticked(let now): if let until = revealed?.until, now >= until { revealed = nil }
        case .unlockEnded(nil): return .run(.loadSession(name))
        case .serviceReported(.storeStateChanged), .loaded:
            guard model.isLocked else { return .none }
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

    static func examples(of session: SessionName, in model: AppModel) -> [SessionScreen] { [SessionScreen(session)] }

    func title(in model: AppModel) -> String { (summary(in: model)?.name ?? name).description }

    func status(in model: AppModel) -> String {
        guard let session = summary(in: model) else { return "" }
        return TimeLeft(session, in: model).sentence
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let page = SessionPage(screen: self, model: model, glyphs: buffer.glyphs)
        let layout = page.layout(in: area)
        page.drawCard(in: layout.card, into: &buffer)
        if let titles = layout.titles {
            tab.drawTitles(in: titles, on: layout.card.contains(titles.origin) ? .panel : .screen, into: &buffer)
        }
        page.drawGraph(in: layout.graph, into: &buffer)
        for part in layout.parts {
            if let box = part.box { buffer.draw(Panel(box.title, surface: .screen), in: box.area) }
            part.document.draw(in: part.area, scroll: scroll, into: &buffer)
        }
    }
}

extension Destination {
    static func session(_ name: SessionName) -> Destination { Destination(SessionScreen(name)) }
}

/// The texts of the session screen, and of the actions on a session.
package enum SessionWords {
    package static var keyRenew: String { tr("renew") }
    package static var keyCopy: String { tr("copy token") }
    package static var signInAgain: String { tr("sign in again") }
    package static var keySignOut: String { tr("sign out") }
    package static var helpCopy: String { tr("copy a fresh access token to the clipboard") }
    package static var helpSignIn: String { tr("sign in again with this account") }
    package static var helpForget: String { tr("remove the session from this machine only") }

    package static var keyMakeDefault: String { tr("make default") }
    package static var helpMakeDefault: String { tr("make this the provider's default account") }
    package static var nameForTools: String { tr("name for tools") }
    package static func names(_ name: SessionName, isDefault: Bool) -> String {
        isDefault ? tr("{1} or {2}", name, name.provider) : name.description
    }

    package static var identity: String { tr("Identity") }
    package static var lifetime: String { tr("Lifetime") }
    package static var use: String { tr("Usage") }
    package static var actions: String { tr("Actions") }
    package static var tokens: String { tr("Tokens") }
    package static var userInfo: String { tr("User information from the provider") }

    package static var issuer: String { tr("issuer") }
    package static var subject: String { tr("subject") }
    package static var client: String { tr("client") }
    package static var scopes: String { tr("scopes") }
    package static var apiHosts: String { tr("token goes to") }
    package static var signedIn: String { tr("signed in") }
    package static var renewed: String { tr("last renewed") }
    package static var nextRenewal: String { tr("next renewal") }
    package static var renewableUntil: String { tr("renewable") }
    package static var lastUsed: String { tr("last used") }

    package static var onDemand: String { tr("when a token is requested") }
    package static var aProgram: String { tr("a program") }

    package static func verified(_ algorithm: String, _ key: String?) -> String {
        key.map { tr("verified with {1}, key {2}", algorithm, $0) } ?? tr("verified with {1}", algorithm)
    }
    package static func ended(_ moment: String) -> String { tr("expired {1}", moment) }

    package static var opening: String { tr("Loading the tokens.") }
    package static var sealed: String { tr("The claims are sealed. Press L to unlock the store.") }
    package static var gone: String { tr("this session no longer exists") }
    package static var isRenewing: String { tr("a renewal is already in progress") }
    package static var onlySignInHelps: String { tr("this session can no longer be renewed: press s to sign in again") }

    package static func copied(_ name: SessionName, _ left: String?) -> String {
        let seconds = CopyOutcome.timeOnClipboard.wholeSeconds
        return left.map { tr("copied the token of {1} (cleared in {2} s); it is valid for {3}", name, seconds, $0) }
            ?? tr("copied the token of {1} (cleared in {2} s)", name, seconds)
    }
    package static var keyReveal: String { tr("reveal") }
    package static var keyMask: String { tr("mask") }
}
