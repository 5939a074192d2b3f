import AuthModel
import TerminalAppModel
import TerminalUI

/// The form for a redirect URL from a browser on another machine. Its content is a credential as long as the attempt lives.
struct PasteForm: Equatable, Sendable {
    var field = SecretField()
    /// Whether the form takes a code from the provider's page instead of a URL.
    var isCode = false
    var progress: Progress = .typing

    /// The progress of the form: checking follows typing; a refusal or the end of the form follows checking; typing leads back to typing.
    enum Progress: Equatable, Sendable {
        case typing
        case checking
        case refused(AuthFailure)
    }

    /// Why the last input was refused.
    var answer: AuthFailure? {
        get { if case .refused(let failure) = progress { failure } else { nil } }
        set { progress = newValue.map(Progress.refused) ?? .typing }
    }

    /// Inserts typed or pasted text. Whitespace is removed from a paste: URLs contain none, but a terminal may insert it where it wrapped.
    mutating func take(_ input: TextInput) {
        guard progress != .checking else { return }
        progress = .typing
        switch input {
        case .key: field.take(input)
        case .paste(let pasted): field.paste(PastedText(pasted.text.filter { !$0.isWhitespace }))
        }
    }

    /// Adds the form to a page.
    ///
    /// - Parameter isLow: whether there is space only for the field.
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
            page.words(Words.sentence(failure.message), .danger)
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

    /// Opens the form for a code that the provider's page shows, once: a form that the user closed stays closed.
    mutating func askForShownCode() {
        guard takesShownCode, takesPaste, !hasAskedForCode else { return }
        hasAskedForCode = true
        pasteForm = PasteForm(isCode: true)
    }

    /// Submits the form, which stays open until the session service has answered.
    mutating func submit() -> ScreenResult {
        guard var form = pasteForm, form.progress != .checking else { return .none }
        guard !form.field.isEmpty else { return .say(SigningInWords.pasteEmpty, .warning) }
        let text = form.field.withBytes { Secret(bytes: $0) }
        form.progress = .checking
        pasteForm = form
        return .run(.paste(text, run))
    }
}
