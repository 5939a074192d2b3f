import AuthModel
import Localization
import TerminalUI

/// Asks for a confirmation. The harmless answer is selected first.
struct ConfirmScreen: Screen {
    let confirmation: Confirmation
    /// Whether the dangerous answer is selected.
    var isYesSelected = false

    enum Action: Hashable, Sendable {
        case toggle
        case choose
        case yes
        case no
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, action: Action.choose, label: SignOutWords.keyChoose),
            KeyBinding(
                .down, .up, .tab, .backTab, .left, .right, .character("j"), .character("k"), .character("h"), .character("l"),
                action: .toggle,
                label: CommonWords.keyMove),
            KeyBinding(.character("y"), action: .yes, label: confirmation.yes),
            KeyBinding(.character("n"), .escape, action: .no, label: CommonWords.no),
        ]
    }

    func selectedRow(in model: AppModel) -> Int? { isYesSelected ? 1 : 0 }
    mutating func mark(row: Int, in model: AppModel) { isYesSelected = row == 1 }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .toggle: isYesSelected.toggle()
        case .choose: return isYesSelected ? go : .back
        case .yes: return go
        case .no: return .back
        }
        return .none
    }

    private var go: ScreenResult { .replace(confirmation.destination) }
}

extension Destination {
    static func confirm(_ confirmation: Confirmation) -> Destination { Destination(ConfirmScreen(confirmation: confirmation)) }
}

extension ConfirmScreen {
    func title(in model: AppModel) -> String { confirmation.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        page.words([Document.Span(CommonWords.question(confirmation.title), .title, .bold)])
        for text in confirmation.text {
            page.blank()
            page.words(text)
        }
        page.blank()
        var answers = Document()
        let pointer = buffer.glyphs.pointer + " "
        for (text, isMarked, role) in [(CommonWords.no, !isYesSelected, Role.text), (confirmation.yes, isYesSelected, Role.danger)] {
            answers.row(Document.Span(isMarked ? pointer : "  ", .accent), Document.Span(text, role, isMarked ? [.bold, .reverse] : []))
            answers.mark(as: .row(answers.blocks.count - 1))
        }
        // If the space is too small, the text is cut instead of the answers, so that they are always visible.
        let (top, bottom) = area.splitTop(min(page.rows(columns: area.columns).count, max(0, area.rows - answers.blocks.count)))
        page.draw(in: top, into: &buffer)
        answers.draw(in: bottom, into: &buffer)
    }
}

/// A confirmation of a dangerous action.
struct Confirmation: Equatable, Sendable {
    var title: String
    /// What happens after a yes, one paragraph each.
    var text: [String]
    /// The label of the dangerous answer.
    var yes: String
    /// The destination after a yes.
    var destination: Destination
}

extension Confirmation {
    /// Returns the confirmation before a session is forgotten.
    static func forgetting(_ name: SessionName) -> Confirmation {
        Confirmation(
            title: tr("Forget {1}", name),
            text: [
                tr(
                    "The session and its tokens are removed from this machine. The provider is not notified: copied tokens stay valid until they expire."
                ),
                tr("To revoke them as well, go back and press o to sign out."), ForgetWords.grace,
            ],
            yes: tr("yes, forget it"), destination: .signingOut(name, .localOnly))
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
            yes: tr("yes, sign out everywhere"), destination: .signingOutEverywhere)
    }
}
