import AuthModel
import TerminalUI

/// The form that takes a redirect URL from a browser elsewhere. What is in it is a credential for as long as the attempt lives.
struct PasteForm: Equatable, Sendable {
    var field = SecretField()
    var isBeingChecked = false
    /// Why the last one was not taken.
    var answer: AuthFailure?

    /// Takes what was typed or pasted. An address has no blanks and line ends, but a terminal may put some in where it was wrapped.
    mutating func take(_ input: TextInput) {
        answer = nil
        switch input {
        case .key: field.take(input)
        case .paste(let pasted): field.paste(PastedText(pasted.text.filter { !$0.isWhitespace }))
        }
    }

    /// - Parameter isLow: whether there is no room for more than the field.
    func add(to page: inout Document, isLow: Bool) {
        page.heading(SigningInWords.pasteTitle)
        if !isLow {
            page.blank()
            page.words(SigningInWords.pasteHelp)
            page.blank()
        }
        page.words(SigningInWords.pasteLabel, .muted)
        page.field(field)
        page.blank()
        if isBeingChecked { page.words(SigningInWords.pasteChecking, .muted) }
        if let answer {
            page.words(Words.sentence(answer.summary), .danger)
            if let hint = answer.hint { page.words(Words.sentence(hint)) }
        }
    }
}

extension SigningInScreen {
    var takesText: Bool { pasteForm != nil }

    mutating func type(_ input: TextInput, in world: World) -> Step {
        pasteForm?.take(input)
        return .none
    }

    /// Hands over what is in the form; the form stays until the keeper has answered.
    mutating func submit() -> Step {
        guard var form = pasteForm, !form.isBeingChecked else { return .none }
        guard !form.field.isEmpty else { return .say(SigningInWords.pasteEmpty, .warning) }
        let text = form.field.withBytes { Secret(bytes: $0) }
        form.isBeingChecked = true
        form.answer = nil
        pasteForm = form
        return .run(.paste(text, run))
    }
}
