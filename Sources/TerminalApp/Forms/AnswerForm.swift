package import AuthModel
import Localization
import TerminalUI

/// A question of a sign-in, with the user's answers. A secret is only in its field, until the form is submitted.
struct AnswerForm: Equatable, Sendable {
    let question: SignInForm
    /// The fields by their identifiers in the question; nil for a question without fields.
    var form: Form<String>?
    var progress: Progress

    /// The progress of the form: submitting follows filling in; a refusal or the end of the form follows submitting; typing returns to
    /// filling in.
    enum Progress: Equatable, Sendable {
        case filling
        case answering
        case refused(AuthFailure)
    }

    /// Creates a form.
    ///
    /// - Parameter known: initial answers, which override the suggestions. Secrets are not taken from them.
    init(_ question: SignInForm, known: SignInForm.Answers = [:]) {
        self.question = question
        progress = .filling
        let fields = question.fields.map { Self.field($0, beginningWith: known[$0.id]?.reveal() ?? $0.suggestion) }
        form = fields.first.map { Form($0, Array(fields.dropFirst())) }
        // The first empty field gets the focus, because suggested values need no typing.
        if let empty = fields.first(where: \.isEmpty) { form?.go(to: empty.id) }
    }

    private static func field(_ field: SignInForm.Field, beginningWith text: String?) -> FormField<String> {
        let label = AnswerFormWords.label(field)
        let help = field.isRequired ? nil : tr("Optional.")
        switch field.kind {
        case .text, .email:
            let content = TextFieldContent(text ?? "", limit: 500)
            let placeholder = field.kind == .email ? AnswerFormWords.emailExample : ""
            return FormField(id: field.id, label: label, content: .text(content, placeholder: placeholder), help: help)
        case .secret: return FormField.secret(field.id, label, help: help)
        case .choice(let choices):
            let suggested = choices.firstIndex { $0.value == text } ?? 0
            return FormField(
                id: field.id, label: label, content: .choice(choices.map { AnswerFormWords.choice($0) }, selected: suggested), help: help)
        }
    }

    /// Whether the form is a single choice: it then shows every option, and the arrow keys select one.
    var isList: Bool {
        guard form?.fields.count == 1, case .choice = form?.fields.first?.content else { return false }
        return true
    }

    /// The title of the selected choice of a list; nil for other forms.
    var chosen: String? {
        guard isList, case .choice(let options, let selected) = form?.fields.first?.content, options.indices.contains(selected) else {
            return nil
        }
        return options[selected]
    }

    var takesText: Bool { !isList && progress != .answering }

    mutating func type(_ input: TextInput) {
        guard progress != .answering, form?.type(input) == true else { return }
        progress = .filling
    }

    /// Moves the selection in a list.
    mutating func choose(_ movement: Movement, page: Int) {
        change { selected, count in movement.from(selected, count: count, page: page) }
    }

    /// Selects an option of a list.
    mutating func choose(row: Int) {
        change { selected, count in (0..<count).contains(row) ? row : selected }
    }

    private mutating func change(_ next: (_ selected: Int, _ count: Int) -> Int) {
        guard isList, progress != .answering, let id = form?.focus else { return }
        form?.change(id) { field in
            guard case .choice(let options, let selected) = field.content else { return }
            field.content = .choice(options, selected: next(selected, options.count))
        }
        progress = .filling
    }

    /// Returns the answers if all are valid; otherwise sets a problem on each invalid field.
    mutating func submittedAnswers() -> SignInForm.Answers? {
        guard progress != .answering else { return nil }
        var answers: SignInForm.Answers = [:]
        for field in question.fields { answers[field.id] = answer(to: field) }
        let faults = question.fields.reduce(into: [String: String]()) { faults, field in
            faults[field.id] = field.fault(in: answers[field.id]).map(AnswerFormWords.fault)
        }
        form?.validate { faults[$0.id] }
        guard form?.isValid != false else {
            progress = .filling
            return nil
        }
        progress = .answering
        return answers
    }

    private func answer(to field: SignInForm.Field) -> Secret? {
        guard let filled = form?[field.id] else { return nil }
        switch (filled.content, field.kind) {
        case (.secret(let content), _): return content.isEmpty ? nil : content.withBytes { Secret(bytes: $0) }
        case (.choice(_, let selected), .choice(let choices)):
            return choices.indices.contains(selected) ? Secret(choices[selected].value) : nil
        default: return filled.text.isEmpty ? nil : Secret(filled.text)
        }
    }
}

extension FormField {
    fileprivate var isEmpty: Bool {
        switch content {
        case .text(let content, _): content.isEmpty
        case .secret(let content): content.isEmpty
        case .choice, .button: false
        }
    }
}

extension AnswerForm {
    /// Adds the question to a page; returns the page's rows that must be visible.
    ///
    /// - Parameter size: the size of the page.
    func add(to page: inout Document, size: Size, glyphs: GlyphSet) -> Range<Int> {
        if size.rows >= 6 {
            page.words([Document.Span(AnswerFormWords.title(question), .title, .bold)])
            if let problem = question.problem { page.words(Words.sentence(problem), .danger) }
            page.blank()
        } else if let problem = question.problem {
            page.words(Words.sentence(problem), .danger)
        }
        let focused = isList ? addList(to: &page, columns: size.columns, glyphs) : form?.add(to: &page, columns: size.columns) ?? 0..<0
        if size.rows >= 8, progress != .filling { page.blank() }
        switch progress {
        case .filling: break
        case .answering: page.words(tr("Submitting."), .muted)
        case .refused(let failure):
            page.words(Words.sentence(failure.message), .danger)
            if let hint = failure.hint { page.words(Words.sentence(hint)) }
        }
        return focused
    }

    private func addList(to page: inout Document, columns: Int, _ glyphs: GlyphSet) -> Range<Int> {
        guard let field = form?.fields.first, case .choice(let options, let selected) = field.content else { return 0..<0 }
        let first = page.rows(columns: columns).count
        for (index, option) in options.enumerated() {
            let isMarked = index == selected
            page.choice([Document.Span(option, .text, isMarked ? .bold : [])], isChosen: isMarked, glyphs)
            page.mark(as: .row(index))
        }
        return first + selected..<first + selected + 1
    }
}

/// The texts of the sign-in forms.
package enum AnswerFormWords {
    package static func title(_ question: SignInForm) -> String { Words.capitalized(question.title.text()) }

    package static func label(_ field: SignInForm.Field) -> String { field.label.text() }

    package static func choice(_ choice: SignInForm.Choice) -> String { choice.title.text() }

    package static func fault(_ fault: SignInForm.Field.Fault) -> String {
        switch fault {
        case .missing: tr("this field is required")
        case .controlCharacter: tr("control characters are not allowed")
        case .notAnAddress: tr("not an e-mail address: write it like {1}", emailExample)
        case .notOffered: tr("not one of the choices")
        }
    }

    package static let emailExample = "ada@example.org"
}
