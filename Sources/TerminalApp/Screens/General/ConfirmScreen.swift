package import AuthModel
import Localization
import TerminalUI

/// Asks for a confirmation. The harmless answer is selected first.
struct ConfirmScreen: Screen {
    let confirmation: Confirmation
    /// Whether the dangerous answer is selected.
    var isYesSelected = false

    func actions(in model: AppModel) -> [Action] {
        [
            Action(
                "no", (isYesSelected ? [] : [.enter]) + [.character("n"), .escape], label: confirmation.no, result: .back),
            Action(
                "yes", (isYesSelected ? [.enter] : []) + [.character("y")], label: confirmation.yes,
                result: .replace(confirmation.destination)),
            Action(
                "toggle",
                [
                    .down, .up, .tab, .backTab, .left, .right, .character("j"), .character("k"), .character("h"), .character("l"),
                ], label: CommonWords.keyMove, isHinted: !FloatingBox.hasSpace(in: model), change: { $0.isYesSelected.toggle() }),
        ]
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(selectedRow: isYesSelected ? 1 : 0, box: .card(page, in: model))
    }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        if case .row(let row) = element { isYesSelected = row == 1 }
        return .none
    }

    func title(in model: AppModel) -> String { confirmation.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        var page = page
        // The buttons of a card are the answers.
        guard !FloatingBox.hasSpace(in: model) else { return page.draw(in: area, into: &buffer) }
        page.blocks.append(.blank)
        var answers = Document()
        for (text, isMarked, role) in [(confirmation.no, !isYesSelected, Role.text), (confirmation.yes, isYesSelected, Role.danger)] {
            answers.choice([Document.Span(text, role, isMarked ? .bold : [])], isChosen: isMarked, buffer.glyphs)
            answers.mark(as: .row(answers.blocks.count - 1))
        }
        // If the space is too small, the text is cut instead of the answers, so that they are always visible.
        let (top, bottom) = area.splitTop(min(page.rows(columns: area.columns).count, max(0, area.rows - answers.blocks.count)))
        page.draw(in: top, into: &buffer)
        answers.draw(in: bottom, into: &buffer)
    }

    /// The question, and what happens after a yes.
    private var page: Document {
        var page = Document()
        page.words([Document.Span(tr("{1}?", confirmation.title), .title, .bold)])
        for text in confirmation.text {
            page.blank()
            page.words(text)
        }
        return page
    }
}

extension Destination {
    static func confirm(_ confirmation: Confirmation) -> Destination { Destination(ConfirmScreen(confirmation: confirmation)) }
}

/// A confirmation of a dangerous action.
struct Confirmation: Equatable, Sendable {
    var title: String
    /// The effects of a yes, one paragraph each.
    var text: [String]
    /// The label of the harmless answer.
    var no: String
    /// The label of the dangerous answer.
    var yes: String
    /// The destination after a yes.
    var destination: Destination

    /// Returns the confirmation before a session is forgotten.
    static func forgetting(_ name: SessionName) -> Confirmation {
        Confirmation(
            title: tr("Forget {1}", name),
            text: [
                tr(
                    "The session and its tokens are removed from this machine. The provider is not notified: copied tokens stay valid until they expire."
                ),
                tr("To revoke them as well, go back and press o to sign out."),
                tr("Press U within 10 seconds to undo this. If you quit before, the session is kept."),
            ],
            no: tr("keep it"), yes: tr("forget it"), destination: .signingOut(name, .localOnly))
    }

    /// Returns the confirmation before every session is ended.
    ///
    /// - Parameter count: the number of sessions.
    static func signingOutEverywhere(_ count: Int) -> Confirmation {
        Confirmation(
            title: SignOutWords.everywhere,
            text: [
                plural(
                    count, "Revokes the tokens of {1} session at its provider, then removes it here.",
                    "Revokes the tokens of {1} sessions at their providers, then removes them here."),
                tr("This cannot be undone. To get a session back, sign in again."),
            ],
            no: tr("keep all sessions"), yes: SignOutWords.keyEverywhere, destination: .signingOutEverywhere)
    }
}

/// The texts for forgetting a session, and for undoing that.
package enum ForgetWords {
    package static var nothing: String { tr("nothing to undo") }
    package static func pending(_ name: SessionName, _ left: String, others: Int) -> String {
        others > 0
            ? tr("forgetting {1} and {2} more in {3}: press U to undo, one at a time", name, others, left)
            : tr("forgetting {1} in {2}: press U to undo", name, left)
    }
}
