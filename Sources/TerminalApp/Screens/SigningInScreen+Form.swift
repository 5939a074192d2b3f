import AuthModel
import TerminalAppModel
import TerminalUI

/// A sign-in's questions to the user.
extension SigningInScreen {
    func bindings(for question: AnswerForm) -> [KeyBinding<Action>] {
        let cancel = KeyBinding(
            Key.escape, .control("c"), action: Action.cancel, label: SigningInWords.keyCancel, help: SigningInWords.helpCancel)
        if question.progress == .answering { return [cancel] }
        guard !question.isList else {
            return [KeyBinding(Key.enter, action: .question(.submit), label: AnswerFormWords.keyChoose), cancel]
                + Movement.bindings(Action.choose, label: CommonWords.keyMove, tabMoves: true)
        }
        let isLast = question.form?.isOnLastField != false
        return Form<String>.bindings(Action.question, submit: isLast ? AnswerFormWords.keyAnswer : FormWords.keyNext) + [cancel]
    }

    /// Shows a question to the user.
    mutating func ask(_ form: SignInForm) -> ScreenResult {
        pasteForm = nil
        showsCode = false
        question = AnswerForm(form, known: form.problem == nil ? typed.merging(request.answers) { $1 } : [:])
        return .none
    }

    mutating func perform(_ action: Form<String>.Action) -> ScreenResult {
        switch action {
        case .next: question?.form?.move(by: 1)
        case .previous: question?.form?.move(by: -1)
        case .submit:
            guard question?.form?.isOnLastField != false else {
                question?.form?.move(by: 1)
                return .none
            }
            guard let answers = question?.submittedAnswers() else { return .none }
            for field in question?.question.fields ?? [] where field.kind != .secret { typed[field.id] = answers[field.id] }
            return .run(.answer(answers, run))
        }
        return .none
    }

    /// Applies the session service's response to the answers. If a new question has replaced the answered one, it stays.
    mutating func take(_ failure: AuthFailure?) {
        guard question?.progress == .answering else { return }
        if let failure { question?.progress = .refused(failure) } else { question = nil }
    }

    func selectedRow(in model: AppModel) -> Int? { question?.isList == true ? question?.form?.fields.first?.selected : nil }

    mutating func mark(row: Int, in model: AppModel) { question?.choose(row: row) }

    mutating func focus(field: Int, in model: AppModel) {
        if question?.takesText == true { question?.form?.go(toShown: field) }
    }

    /// Draws the question, with the focused field visible.
    ///
    /// - Parameter advice: what to type if the question asks for a secret.
    func draw(_ question: AnswerForm, advice: String?, in area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        let focused = question.add(to: &page, size: area.size, glyphs: buffer.glyphs)
        if let advice, question.question.fields.contains(where: { $0.kind == .secret }) { page.words(Words.sentence(advice), .muted) }
        page.draw(in: area, scroll: Document.scroll(to: focused, height: area.rows), into: &buffer)
    }
}
