import AuthModel
import TerminalUI

/// The form that takes a redirect URL from a browser elsewhere. What is in it is a credential for as long as the attempt lives.
struct PasteForm: Equatable, Sendable {
    var field = SecretField()
    /// Whether it takes a code that the provider's page shows, and no address.
    var isCode = false
    var progress: Progress = .typing

    /// Typing leads to checking, checking to the end of the form or to a refusal, and typing on to typing.
    enum Progress: Equatable, Sendable {
        case typing
        case checking
        case refused(AuthFailure)
    }

    /// Why the last one was not taken.
    var answer: AuthFailure? {
        get { if case .refused(let failure) = progress { failure } else { nil } }
        set { progress = newValue.map(Progress.refused) ?? .typing }
    }

    /// Takes what was typed or pasted. An address has no blanks and line ends, but a terminal may put some in where it was wrapped.
    mutating func take(_ input: TextInput) {
        guard progress != .checking else { return }
        progress = .typing
        switch input {
        case .key: field.take(input)
        case .paste(let pasted): field.paste(PastedText(pasted.text.filter { !$0.isWhitespace }))
        }
    }

    /// - Parameter isLow: whether there is no room for more than the field.
    func add(to page: inout Document, isLow: Bool) {
        page.heading(SigningInWords.pasteTitle(isCode: isCode))
        if !isLow {
            page.blank()
            page.words(SigningInWords.pasteHelp(isCode: isCode))
            page.blank()
        }
        page.words(SigningInWords.pasteLabel(isCode: isCode), .muted)
        page.field(field)
        page.blank()
        switch progress {
        case .typing: break
        case .checking: page.words(SigningInWords.pasteChecking, .muted)
        case .refused(let failure):
            page.words(Words.sentence(failure.summary), .danger)
            if let hint = failure.hint { page.words(Words.sentence(hint)) }
        }
    }
}

extension SigningInScreen {
    var takesText: Bool { question?.takesText ?? (pasteForm != nil) }

    func plainField(in model: AppModel) -> PlainField? {
        if let question { return question.takesText ? question.form?.plainField : nil }
        return pasteForm.map { PlainField(label: SigningInWords.pasteLabel(isCode: $0.isCode), kind: .secret) }
    }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        if question != nil { question?.take(input) } else { pasteForm?.take(input) }
        return .none
    }

    /// Opens the form for a code that comes no other way, once: a form that was closed stays closed.
    mutating func askForShownCode() {
        guard takesShownCode, takesPaste, !hasAskedForCode else { return }
        hasAskedForCode = true
        pasteForm = PasteForm(isCode: true)
    }

    /// Hands over what is in the form; the form stays until the session service has answered.
    mutating func submit() -> ScreenResult {
        guard var form = pasteForm, form.progress != .checking else { return .none }
        guard !form.field.isEmpty else { return .say(SigningInWords.pasteEmpty, .warning) }
        let text = form.field.withBytes { Secret(bytes: $0) }
        form.progress = .checking
        pasteForm = form
        return .run(.paste(text, run))
    }
}
