import AuthModel
import Localization
import TerminalUI

/// Signs out of all sessions, a few at a time, until all are done or the user stops it.
struct SignOutEverywhereScreen: TextScreen {
    /// A sign-out that did not complete.
    struct FailedSignOut: Equatable, Sendable {
        var name: SessionName
        var text: String
    }

    /// The maximum number of concurrent sign-outs, to limit the load on providers.
    private static let width = 8

    let count: Int
    private var waiting: ArraySlice<SessionName>
    private(set) var underWay: [SessionName]
    private(set) var failedSignOuts: [FailedSignOut] = []
    private(set) var scroll = 0

    init(_ names: [SessionName]) {
        count = names.count
        underWay = Array(names.prefix(Self.width))
        waiting = names.dropFirst(Self.width)
    }

    /// The number of finished sign-outs, successful or not.
    var ended: Int { count - waiting.count - underWay.count }
    var isOver: Bool { ended == count }

    func actions(in model: AppModel) -> [Action] {
        let leave =
            isOver
            ? Action("leave", [.enter, .escape], label: CommonWords.keyDone, result: .home)
            : Action(
                "leave", [.escape], label: tr("stop"), help: tr("end no more sessions; sign-outs in progress continue"),
                result: ScreenResult(
                    move: .home,
                    notice: Notice(plural(waiting.count, "stopped: {1} session remains", "stopped: {1} sessions remain"), .warning)))
        return [leave]
            + Movement.scrolling(\.scroll, positions: scrollPositions(in: model), isHinted: false, in: model)
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(
            box: card(in: model), needsTicks: !isOver,
            openingCommands: underWay.map { .signOut($0, .revoke) }, reportedSignOuts: underWay)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        guard case .signOutEnded(let name, .revoke, let result) = message, let index = underWay.firstIndex(of: name) else { return .none }
        underWay.remove(at: index)
        switch result {
        case .success(let receipt):
            if !receipt.isComplete { failedSignOuts.append(FailedSignOut(name: name, text: SignOutWords.trouble(receipt))) }
        case .failure(let failure): failedSignOuts.append(FailedSignOut(name: name, text: Words.line(failure)))
        }
        guard let next = waiting.popFirst() else { return .none }
        underWay.append(next)
        return .run(.signOut(next, .revoke))
    }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        let obstacle = !model.hasSessions ? SessionListWords.nothingMarked : model.isLocked ? LockWords.lockedSignOut : nil
        let confirmation = Confirmation.signingOutEverywhere(model.sessions?.count ?? 0)
        return [
            PaletteScreen.Entry(
                title: SignOutWords.helpEverywhere, verb: SignOutWords.keyEverywhere, label: SignOutWords.keyEverywhere, obstacle: obstacle,
                effect: .open(.confirm(confirmation)))
        ]
    }

    /// Signs out of all current sessions.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> SignOutEverywhereScreen {
            SignOutEverywhereScreen((context.model.sessions ?? []).map(\.name))
        }
    }

    func title(in model: AppModel) -> String { SignOutWords.everywhere }
    func status(in model: AppModel) -> String { isOver ? "" : SessionListWords.found(ended, of: count) }

    /// Returns the progress, the running sign-outs and the failures.
    func page(in model: AppModel, _ glyphs: GlyphSet) -> Document {
        var page = Document()
        let frame = Spinner.frame(at: model.now.milliseconds, glyphs: glyphs)
        if !isOver {
            page.words([
                Document.Span(frame + " ", .accent),
                Document.Span(plural(count, "Signing out of {1} session.", "Signing out of {1} sessions."), .title, .bold),
            ])
            page.blank()
            page.bar(
                Double(ended) / Double(max(1, count)), SessionListWords.found(ended, of: count), .text,
                bar: .barFilled)
            page.blank()
            for name in underWay { page.row(Document.Span(name.description, .muted)) }
        } else if failedSignOuts.isEmpty {
            page.words([
                Document.Span(glyphs.check + " ", .success, .bold),
                Document.Span(
                    plural(count, "You are signed out of {1} session.", "You are signed out of {1} sessions."), .title, .bold),
            ])
        } else {
            let text = plural(
                failedSignOuts.count, "Could not fully sign out of {1} session.", "Could not fully sign out of {1} sessions.")
            page.words([Document.Span("! ", .warning, .bold), Document.Span(text, .title, .bold)])
        }
        guard !failedSignOuts.isEmpty else { return page }
        page.blank()
        for trouble in failedSignOuts {
            page.words([Document.Span(glyphs.cross + " ", .danger), Document.Span(trouble.name.description, .text, .bold)])
            page.words(Words.sentence(trouble.text), indent: 2)
        }
        return page
    }
}

extension Destination {
    static let signingOutEverywhere = Destination(SignOutEverywhereScreen.Request())
}
