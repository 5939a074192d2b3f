import AuthModel
import Localization
import TerminalUI

/// A sign-in's questions to the user.
extension SigningInScreen {
    func actions(for question: AnswerForm, in model: AppModel) -> [Action] {
        if question.progress == .answering { return [cancel] }
        guard !question.isList else {
            let label = question.chosen ?? CommonWords.keyChoose
            let submit = Action("question-submit", [.enter], label: label, run: { $0.handle(.submit) })
            return [submit, cancel]
                + Movement.actions(
                    named: "choose", label: CommonWords.keyMove, isHinted: !FloatingBox.hasSpace(in: model), tabMoves: true
                ) {
                    $0.question?.choose($1, page: Frame.bodySize(model.size).rows)
                }
        }
        let isLast = question.form?.isOnLastField != false
        return Form<String>.actions(submit: isLast ? tr("submit") : FormWords.keyNext) { $0.handle($1) } + [cancel]
    }

    /// Shows a question to the user.
    mutating func ask(_ form: SignInForm) -> ScreenResult {
        pasteForm = nil
        showsCode = false
        question = AnswerForm(named(form), known: form.problem == nil ? typed.merging(request.answers) { $1 } : [:])
        return .none
    }

    /// Returns the question with its choices named by what they do here: without the other account, the user signs in again.
    private func named(_ form: SignInForm) -> SignInForm {
        guard let account = request.account, let index = form.fields.firstIndex(where: { $0.id == SignInForm.otherAccountField }),
            case .choice(let choices) = form.fields[index].kind
        else { return form }
        var form = form
        form.fields[index].kind = .choice(
            choices.map { choice in
                guard choice.value == SignInForm.otherAccountDiscarded else { return choice }
                return .init(choice.value, title: UserMessage("form.sign_in_again_as", ["account": account]))
            })
        return form
    }

    private mutating func handle(_ action: Form<String>.Action) -> ScreenResult {
        switch action {
        case .next: question?.form?.move(by: 1)
        case .previous: question?.form?.move(by: -1)
        case .submit:
            guard question?.form?.isOnLastField != false else {
                question?.form?.move(by: 1)
                return .none
            }
            guard let answers = question?.submittedAnswers() else { return .none }
            if let answer = answers[SignInForm.otherAccountField] {
                signsInAgain = answer.reveal() == SignInForm.otherAccountDiscarded
            } else {
                for field in question?.question.fields ?? [] where field.kind != .secret { typed[field.id] = answers[field.id] }
            }
            return .run(.answer(answers, run))
        }
        return .none
    }

    /// Applies the session service's response to the answers. If a new question has replaced the answered one, it stays.
    mutating func finishQuestion(with failure: AuthFailure?) {
        guard question?.progress == .answering else { return }
        if let failure { question?.progress = .refused(failure) } else { question = nil }
    }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        switch element {
        case .row(let row): question?.choose(row: row)
        case .field(let field): if question?.takesText == true { question?.form?.go(toShown: field) }
        case .part, .session: break
        }
        return .none
    }

    /// Draws the question, with the focused field visible.
    func draw(_ question: AnswerForm, in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        let isCard = FloatingBox.hasSpace(in: model)
        let size = Size(columns: area.columns, rows: isCard ? max(area.rows, Self.leastCardRows) : area.rows)
        let (page, focused) = page(of: question, in: model, size: size, buffer.glyphs)
        page.draw(in: area, scroll: Document.scroll(to: focused, height: area.rows), into: &buffer)
    }
}

/// Questions and the paste form as cards.
extension SigningInScreen {
    /// The least rows of a page that has all parts of a question.
    private static let leastCardRows = 8

    /// Returns the card of the question or the paste form; nil without one. The form for the code of a page shows the URL of that page too,
    /// over the whole width.
    func card(in model: AppModel) -> FloatingBox.Content? {
        if let question { return .card(page(of: question, in: model, size: FloatingBox.cardSize(in: model), .unicode).page, in: model) }
        guard pasteForm?.isCode == false else { return nil }
        return .card(SigningInPage(screen: self, model: model).document, in: model)
    }

    /// The screen without its form, which a card is above.
    var withoutForm: SigningInScreen {
        var screen = self
        screen.pasteForm = nil
        return screen
    }

    /// Returns the page of a question, with what to type if it asks for a secret of the demo, and the rows that must be visible.
    private func page(
        of question: AnswerForm, in model: AppModel, size: Size, _ glyphs: GlyphSet
    ) -> (page: Document, focused: Range<Int>) {
        var page = Document()
        let focused = question.add(to: &page, size: size, glyphs: glyphs)
        if let advice = model.demoAdvice(for: request), question.question.fields.contains(where: { $0.kind == .secret }) {
            page.words(Words.sentence(advice), .muted)
        }
        return (page, focused)
    }
}

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

    /// The refusal of the last input.
    var refusal: AuthFailure? {
        get { if case .refused(let failure) = progress { failure } else { nil } }
        set { progress = newValue.map(Progress.refused) ?? .typing }
    }

    /// Inserts typed or pasted text. Whitespace is removed from a paste: URLs contain none, but a terminal may insert it where it wrapped.
    mutating func type(_ input: TextInput) {
        guard progress != .checking else { return }
        progress = .typing
        switch input {
        case .key: field.type(input)
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
    var plainField: PlainField? {
        if let question { return question.takesText ? question.form?.plainField : nil }
        return pasteForm.map { PlainField(label: SigningInWords.pasteLabel(isCode: $0.isCode), kind: .secret) }
    }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        if question != nil { question?.type(input) } else { pasteForm?.type(input) }
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
        guard !form.field.isEmpty else { return .say(FormWords.emptyField, .warning) }
        let text = form.field.withBytes { Secret(bytes: $0) }
        form.progress = .checking
        pasteForm = form
        return .run(.paste(text, run))
    }
}

/// The part of an attempt that the screen shows.
extension SigningInScreen {
    struct Hosts: Equatable, Sendable {
        var authorization: String
        var token: String
    }

    enum Browser: Equatable, Sendable {
        case notAsked
        case opening
        case answered(BrowserOutcome)

        /// Whether the browser opened, as far as known.
        var isOpen: Bool {
            switch self {
            case .notAsked, .opening, .answered(.opened): true
            case .answered(.noBrowser), .answered(.failed): false
            }
        }
    }

    /// The state of the device code: none → offered or open; offered → requested; requested → open or offered; open → offered when
    /// the code expires.
    enum DeviceCode: Equatable, Sendable {
        case none
        /// Available on request.
        case offered
        case requested
        case open(DeviceCodePrompt)
    }

    /// A step: pending, running, done, or failed in an attempt that continues.
    struct StepLine: Equatable, Sendable {
        var step: SignInStep
        var progress: Progress
        /// The reason why the step failed, in one line.
        var reason: String?

        enum Progress: Equatable, Sendable {
            case pending
            case running(since: Timestamp)
            case done(took: Duration)
            case failed
        }
    }

    struct Note: Equatable, Sendable {
        var text: String
        var tone: Notice.Tone
        var times = 1
    }
}
