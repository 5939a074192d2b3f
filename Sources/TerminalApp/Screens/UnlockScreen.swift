import AuthModel
import TerminalAppModel
import TerminalUI

/// Asks for the passphrase: once for an existing store, twice for a new one.
struct UnlockScreen: Screen {
    /// Whether the passphrase is a new one for the store.
    let isNew: Bool
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

    enum Action: Hashable, Sendable {
        case submit
        case next
        case later
    }

    init(isNew: Bool) { self.isNew = isNew }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        let next = isNew ? [KeyBinding(Key.tab, .backTab, .up, .down, action: Action.next, label: UnlockWords.keyNext)] : []
        return [KeyBinding(Key.enter, action: Action.submit, label: isNew ? UnlockWords.keySeal : UnlockWords.keyUnlock)] + next
            + [KeyBinding(.escape, action: .later, label: UnlockWords.keyLater)]
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .next, .later: nil
        case .submit: progress == .opening ? UnlockWords.isOpening : first.isEmpty ? UnlockWords.empty : nil
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .later: return .back
        case .next:
            focus = focus == .first ? .second : .first
            return .none
        case .submit:
            if isNew, focus == .first {
                focus = .second
                return .none
            }
            if isNew, !Self.areSame(first, second) { return refuse(UnlockWords.different, hint: nil) }
            progress = .opening
            return .run(.unlock(first.withBytes { Secret(bytes: $0) }))
        }
    }

    mutating func focus(field: Int, in model: AppModel) {
        if isNew { focus = field == 0 ? .first : .second }
    }

    var takesText: Bool { true }
    func plainField(in model: AppModel) -> PlainField? {
        PlainField(label: focus == .first ? UnlockWords.passphrase : UnlockWords.again, kind: .secret)
    }

    func isBusy(in model: AppModel) -> Bool { progress == .opening }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        guard progress != .opening else { return .none }
        progress = .typing
        switch focus {
        case .first: first.take(input)
        case .second: second.take(input)
        }
        return .none
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .unlockEnded(nil), .serviceReported(.sealChanged(.unlocked)):
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

    /// Compares in constant time for equal lengths.
    private static func areSame(_ left: SecretField, _ right: SecretField) -> Bool {
        left.withBytes { left in
            right.withBytes { right in
                guard left.count == right.count else { return false }
                return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
            }
        }
    }

    func reports(_ message: Message) -> Bool {
        if case .unlockEnded = message { true } else { false }
    }
}

extension UnlockScreen {
    /// Asks for the passphrase of the store.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> UnlockScreen { UnlockScreen(isNew: context.model.seal == .locked(isNew: true)) }
    }
}

extension Destination {
    static let unlock = Destination(UnlockScreen.Request())
}
