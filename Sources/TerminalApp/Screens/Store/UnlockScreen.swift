import AuthModel
import Localization
import TerminalUI

/// Asks for the passphrase: once for an existing store, twice for a new one. Asks once for the PIN of a security key.
struct UnlockScreen: Screen {
    /// Whether the passphrase is a new one for the store.
    let isNew: Bool
    /// Whether the text is the PIN of a security key, which has none or one of its own.
    let isPIN: Bool
    var first = SecretField()
    var second = SecretField()
    var focus: Focus = .first
    var progress: Progress = .typing

    enum Focus: Equatable, Sendable {
        case first
        case second
    }

    /// The progress: opening follows typing; a failure returns to typing with a reason, success closes the screen.
    enum Progress: Equatable, Sendable {
        case typing
        case opening
        case refused(String, hint: String?)
    }

    init(isNew: Bool, isPIN: Bool = false) {
        self.isNew = isNew && !isPIN
        self.isPIN = isPIN
    }

    func actions(in model: AppModel) -> [Action] {
        let next = Action(
            "next", [.tab, .backTab, .up, .down], label: FormWords.keyNext, change: { $0.focus = $0.focus == .first ? .second : .first })
        return [
            Action(
                "submit", [.enter], label: isNew ? tr("seal the store") : CommonWords.keyUnlock,
                obstacle: progress == .opening ? tr("the store is already being opened") : nil, run: { $0.submit() })
        ] + (isNew ? [next] : []) + [Action("later", [.escape], label: tr("later"), result: .back)]
    }

    private mutating func submit() -> ScreenResult {
        guard isPIN || !first.isEmpty else { return .say(FormWords.emptyField, .warning) }
        if isNew, focus == .first {
            focus = .second
            return .none
        }
        if isNew, !Self.areSame(first, second) { return refuse(tr("the passphrases do not match: type both again"), hint: nil) }
        progress = .opening
        return .run(.unlock(first.withBytes { Secret(bytes: $0) }, isPIN: isPIN))
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(
            takesText: true, plainField: PlainField(label: focus == .first ? firstLabel : UnlockWords.again, kind: .secret),
            box: .card(page(isLow: false, hasTitle: false, hasGap: true), in: model), loweredGate: isNew ? nil : 1, needsTicks: isBusy)
    }

    var isBusy: Bool { progress == .opening }
    var reportsUnlock: Bool { true }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        if case .field(let field) = element, isNew { focus = field == 0 ? .first : .second }
        return .none
    }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        guard progress != .opening else { return .none }
        progress = .typing
        switch focus {
        case .first: first.type(input)
        case .second: second.type(input)
        }
        return .none
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .unlockEnded(nil), .serviceReported(.storeStateChanged(.unlocked)):
            return ScreenResult(move: .back, notice: Notice(LockWords.wasUnlocked, .good))
        case .unlockEnded(let failure?): return refuse(Words.sentence(failure.message), hint: failure.hint.map(Words.sentence))
        default: return .none
        }
    }

    private mutating func refuse(_ reason: String, hint: String?) -> ScreenResult {
        first.clear()
        second.clear()
        focus = .first
        progress = .refused(reason, hint: hint)
        return .none
    }

    private var firstLabel: String { isPIN ? tr("PIN") : tr("Passphrase") }

    private var help: String {
        if isNew { return tr("It encrypts your sessions and cannot be recovered. If you forget it, sign in everywhere again.") }
        return isPIN
            ? tr("A security key unlocks your sessions. Plug it in and enter its PIN. If it has none, leave the field empty.")
            : tr("Your sessions are sealed. Enter the passphrase to unlock them. It stays in memory only while you type it.")
    }

    /// Compares in constant time for equal lengths.
    private static func areSame(_ left: SecretField, _ right: SecretField) -> Bool {
        left.withBytes { left in
            right.withBytes { right in
                guard left.count == right.count else { return false }
                return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
            }
        }
    }

    /// Asks for the passphrase of the store.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> UnlockScreen {
            let report = context.model.seal
            return UnlockScreen(isNew: report.state == .locked(isNew: true), isPIN: report.seal == .securityKey)
        }
    }

    func title(in model: AppModel) -> String { isNew ? UnlockWords.newTitle : UnlockWords.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        // A card has the title in its frame. A low terminal shows only the header above: the fields have priority.
        let isCard = FloatingBox.hasSpace(in: model)
        let page = page(isLow: !isCard && area.rows < 12, hasTitle: !isCard, hasGap: isCard || area.rows >= 6)
        // If both fields do not fit, the focused one is visible.
        page.draw(in: area, scroll: focus == .second ? 2 : 0, into: &buffer)
    }

    private func page(isLow: Bool, hasTitle: Bool, hasGap: Bool) -> Document {
        var page = Document()
        if !isLow {
            if hasTitle { page.words([Document.Span(isNew ? UnlockWords.newTitle : UnlockWords.title, .title, .bold)]) }
            page.words(help, .muted)
            page.blank()
        }
        page.words(firstLabel, focus == .first ? .accent : .muted)
        page.field(first, isFocused: focus == .first)
        page.mark(as: .field(0))
        if isNew {
            if !isLow { page.blank() }
            page.words(UnlockWords.again, focus == .second ? .accent : .muted)
            page.field(second, isFocused: focus == .second)
            page.mark(as: .field(1))
        }
        if hasGap, progress != .typing { page.blank() }
        switch progress {
        case .typing: break
        case .opening:
            page.words(
                isPIN ? tr("Touch your security key each time it blinks.") : tr("Opening the store. This takes a moment by design."), .info)
        case .refused(let reason, let hint):
            page.words(Words.sentence(reason), .danger)
            if let hint { page.words(hint) }
        }
        return page
    }
}

extension Destination {
    static let unlock = Destination(UnlockScreen.Request())
}

/// Shows that the store is locked: the gate is down in front of the screen below.
struct LockedScreen: TextScreen {
    /// When the store was locked.
    let lockedAt: Timestamp

    func actions(in model: AppModel) -> [Action] {
        [
            Action(
                "unlock", [.enter], label: CommonWords.keyUnlock,
                result: model.seal.needsPassphrase ? .replace(.unlock) : .run(.unlock(Secret("")))),
            Action(
                "look", [.escape], label: CommonWords.keyViewSessions, help: tr("lift the gate and view the sessions, which stay locked"),
                result: .back),
        ]
    }

    func traits(in model: AppModel) -> ScreenTraits {
        let share = LoweredGate.progress(since: lockedAt, in: model)
        return ScreenTraits(
            box: card(in: model), loweredGate: share,
            isAnimated: share < 1, allowsProblemAbove: true)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .unlockEnded(nil), .serviceReported(.storeStateChanged(.unlocked)): .back
        default: .none
        }
    }

    func title(in model: AppModel) -> String { LockWords.title }

    func page(in model: AppModel, _ glyphs: GlyphSet) -> Document {
        var page = Document()
        page.words([Document.Span(LockWords.heading, .title, .bold)])
        page.blank()
        page.words(tr("The keys are wiped from memory. No program gets a token until you unlock the store."), .muted)
        return page
    }

    static func examples(of session: SessionName, in model: AppModel) -> [LockedScreen] { [LockedScreen(lockedAt: model.now)] }

    /// Shows that the store was locked just now.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> LockedScreen { LockedScreen(lockedAt: context.model.now) }
    }
}

extension Destination {
    static let locked = Destination(LockedScreen.Request())
}

/// The texts of the unlock screen.
package enum UnlockWords {
    package static var title: String { tr("Unlock") }
    package static var newTitle: String { tr("Choose a passphrase") }
    package static var again: String { tr("Repeat") }
}

/// The texts about the lock, used by every screen.
package enum LockWords {
    package static var locked: String { tr("the store is locked: press L to unlock it") }
    package static var lockedSignOut: String { tr("the store is locked: press L to unlock it, then revoke the tokens") }
    package static var isLocked: String { tr("locked") }
    package static var title: String { tr("Locked") }
    package static var heading: String { tr("Your sessions are locked.") }
    package static var wasUnlocked: String { tr("unlocked") }
}
