import AuthModel
import Localization
import TerminalUI

/// Shows that the store is locked: the gate is down in front of the screen below.
struct LockedScreen: Screen {
    /// When the store was locked.
    let lockedAt: Timestamp

    func actions(in model: AppModel) -> [Action] {
        [
            Action(
                "unlock", [.enter], label: CommonWords.keyUnlock,
                result: model.seal.needsPassphrase ? .replace(.unlock) : .run(.unlock(Secret("")))),
            Action(
                "look", [.escape], label: tr("view sessions"), help: tr("lift the gate and view the sessions, which stay locked"),
                result: .back),
        ]
    }

    func traits(in model: AppModel) -> ScreenTraits {
        let share = LoweredGate.progress(since: lockedAt, in: model)
        return ScreenTraits(
            box: .card(page(glyphs: .unicode), in: model), loweredGate: share,
            isAnimated: share < 1, allowsProblemAbove: true)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .unlockEnded(nil), .serviceReported(.storeStateChanged(.unlocked)): .back
        default: .none
        }
    }

    func title(in model: AppModel) -> String { LockWords.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        page(glyphs: buffer.glyphs).draw(in: area, into: &buffer)
    }

    private func page(glyphs: GlyphSet) -> Document {
        var page = Document()
        page.words([Document.Span(LockWords.heading, .title, .bold)])
        page.blank()
        page.words(tr("The keys are wiped from memory. No program gets a token until you unlock the store."), .muted)
        return page
    }

    static func examples(of session: SessionName, in model: AppModel) -> [LockedScreen] { [LockedScreen(lockedAt: model.now)] }
}

extension LockedScreen {
    /// Shows that the store was locked just now.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> LockedScreen { LockedScreen(lockedAt: context.model.now) }
    }
}

extension Destination {
    static let locked = Destination(LockedScreen.Request())
}
