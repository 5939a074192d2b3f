package import AuthModel
import Localization
import TerminalUI

/// Shows a successful sign-in: the account, the provider, the expiry.
struct WelcomeScreen: Screen {
    let session: SessionSummary
    /// When the screen opened.
    let openedAt: Timestamp
    var scroll = 0

    func actions(in model: AppModel) -> [Action] {
        let positions = page(in: model, glyphs: .unicode).scrollPositions(in: FloatingBox.cardSize(in: model))
        return [
            Action(
                "home", [.enter, .escape], label: CommonWords.keyViewSessions,
                result: ScreenResult(move: .home, highlighted: session.name)),
            Action(
                "inspect", [.character("i")], label: tr("open session"), obstacle: model.lockObstacle,
                result: .replace(.session(session.name))),
            Action(
                "copy-token", [.character("y")], label: SessionWords.keyCopy, help: SessionWords.helpCopy, obstacle: model.lockObstacle,
                result: SessionAction.copyToken.step(for: session.name)),
            Action(
                "copy-command", [.character("c")], label: tr("copy command"),
                result: .run(.copyText(WelcomeWords.command(session.name)))),
        ] + Movement.scrolling(\.scroll, positions: positions, isHinted: positions > 1, in: model)
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(
            box: .card(rows: cardRows(in: model)),
            needsTicks: session.accessExpiresAt != nil, isAnimated: isLifting(in: model), allowsProblemAbove: true)
    }

    /// Returns the rows of the text beside the gate.
    private func cardRows(in model: AppModel) -> Int {
        let columns = FloatingBox.cardSize(in: model).columns - Self.gateWidth
        return max(GatePicture.rows + 1, page(in: model, glyphs: .unicode).rows(columns: max(1, columns)).count)
    }

    /// The width of the gate with its margins.
    private static let gateWidth = GatePicture.columns + 2 * Document.margin

    /// The time that the gate takes to lift.
    private static let liftTime = Duration.milliseconds(400)

    private func isLifting(in model: AppModel) -> Bool { model.motion == .full && model.now - openedAt < Self.liftTime }

    /// Returns by how many rows the gate is lifted now; where nothing moves, it is open at once.
    func lift(in model: AppModel) -> Int {
        guard isLifting(in: model) else { return GatePicture.height }
        let time = max(0, (model.now - openedAt).wholeMilliseconds)
        return Int(time * Int64(GatePicture.height) / Self.liftTime.wholeMilliseconds)
    }

    /// Opens the screen after a sign-in.
    struct Request: ScreenRequest {
        var session: SessionSummary

        func screen(in context: inout OpeningContext) -> WelcomeScreen { WelcomeScreen(session: session, openedAt: context.model.now) }
    }

    func title(in model: AppModel) -> String { tr("Signed in") }
    func status(in model: AppModel) -> String { session.name.description }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let hasGate = !model.isPlain && area.columns >= Self.gateColumns && area.rows >= GatePicture.rows + 1
        let gate = Self.gateWidth
        page(in: model, glyphs: buffer.glyphs).draw(in: area.inset(right: hasGate ? gate : 0), scroll: scroll, into: &buffer)
        guard hasGate else { return }
        let place = Rect(
            column: area.right - gate + Document.margin, row: area.top, columns: GatePicture.columns, rows: GatePicture.rows)
        GatePicture(lift: lift(in: model)).drawAlone(in: place, of: &buffer)
    }

    /// The minimum width for the gate beside the text.
    private static let gateColumns = 64

    /// Returns the screen as a document.
    func page(in model: AppModel, glyphs: GlyphSet) -> Document {
        let session = model.session(session.name) ?? session
        var page = Document()
        // A token of a few seconds may be over while the user reads.
        let isOver = model.state(of: session).needsAction
        page.words([
            Document.Span((isOver ? "!" : glyphs.check) + " ", isOver ? .warning : .success, .bold),
            Document.Span(
                isOver ? tr("The session has ended.") : WelcomeWords.welcome(session.subject == nil ? nil : session.name.account),
                .title, .bold),
        ])
        page.words(
            isOver
                ? tr("You signed in to {1}, but the token has expired and cannot be renewed: sign in again.", session.name.provider)
                : tr("You are signed in to {1}.", session.name.provider))
        page.blank()
        let time = TimeLeft(session, in: model)
        if let bar = time.bar {
            page.bar(bar, time.sentence, time.role)
        } else {
            page.words(Words.sentence(time.sentence), time.role)
        }
        page.blank()
        page.term(tr("session"), session.name.description, width: 12)
        page.term(SessionWords.scopes, session.scopes.isEmpty ? SessionListWords.none : session.scopes.wire, width: 12)
        for warning in session.warnings { page.words(Words.sentence(warning), .warning) }
        page.heading(tr("From the shell"))
        if model.demoAdvice != nil { page.words(tr("Other programs cannot see demo sessions. With your own provider, run:")) }
        page.row(Document.Span(WelcomeWords.command(session.name), .link), indent: 2)
        return page
    }
}

extension Destination {
    static func welcome(_ session: SessionSummary) -> Destination { Destination(WelcomeScreen.Request(session: session)) }
}

/// The texts after a successful sign-in.
package enum WelcomeWords {
    /// Returns the greeting.
    ///
    /// - Parameter account: the user's account name; nil if unknown.
    package static func welcome(_ account: String?) -> String { account.map { tr("Welcome, {1}.", $0) } ?? tr("Welcome.") }
    package static func command(_ name: SessionName) -> String { "yett token \(name.shellWord)" }
}
