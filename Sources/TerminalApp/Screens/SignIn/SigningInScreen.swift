import AuthModel
import Localization
import TerminalUI

/// A sign-in in progress: its steps with their times, the full URL, and every available sign-in method.
///
/// When the attempt ends, the welcome screen or the problem screen replaces this one. An attempt ends exactly once.
struct SigningInScreen: Screen {
    let run: RunID
    let request: SignInRequest
    let startedAt: Timestamp
    var steps: [StepLine]
    /// The hosts of the provider, once known.
    var hosts: Hosts?
    /// The URL for signing in.
    var signInURL: WebURL?
    /// The URL for creating the account first; nil after that, or if it is not needed.
    var signUpPage: WebURL?
    var redirect: String?
    var deadline: Timestamp?
    var browser: Browser = .notAsked
    /// The state of the device code, as a sign-in method on any device.
    var deviceCode: DeviceCode = .none
    /// The SSH command that connects the browser on the user's machine with this one, in an SSH session.
    var forwarding: String?
    /// Whether only the QR code is shown.
    var showsCode = false
    /// Whether only the whole address is shown.
    var showsAddress = false
    /// Whether the provider's page shows a code instead of redirecting.
    var takesShownCode: Bool { redirect == RedirectRule.outOfBand.description }
    /// Whether the session service accepts a pasted redirect URL.
    var takesPaste = false
    /// The open paste form.
    var pasteForm: PasteForm?
    /// Whether the form for the code from the provider's page was opened.
    var hasAskedForCode = false
    /// The page for installing the authenticator, at providers that use one on this machine.
    var authenticator: WebURL?
    /// The question of the sign-in, until it is answered.
    var question: AnswerForm?
    /// The user's answers so far, without secrets, so that they need not be typed again after a failure.
    var typed: SignInForm.Answers
    /// Whether the user discarded the sign-in of another account, so that another attempt follows this one.
    var signsInAgain = false
    /// Remarks about ignored callbacks and unusual events, the newest last; equal ones are counted.
    var remarks: [Note] = []
    /// The first visible line, if the screen scrolls.
    var scroll = 0

    /// The device code to type, if there is one.
    var device: DeviceCodePrompt? { if case .open(let prompt) = deviceCode { prompt } else { nil } }
    /// The URL that the browser opens now.
    var url: WebURL? { signUpPage ?? signInURL }
    /// The URL that can be copied: never one that contains the code, because an attacker could trick someone into opening it.
    var address: WebURL? { url ?? device?.page }

    /// The scopes that the URL asks for; none where a pushed request hides them (RFC 9126).
    var scopes: ScopeSet {
        ScopeSet(wire: parameters.first { $0.name == "scope" }?.value ?? "")
    }

    /// The scopes that the URL requests, in one line; nil while no URL is known.
    var asksFor: String? {
        guard signInURL != nil, scopes.isEmpty else { return scopes.isEmpty ? nil : scopes.wire }
        return sends("request_uri") ? tr("the request was sent to the provider directly") : SessionListWords.none
    }

    /// Returns whether the URL has a parameter of this name.
    func sends(_ parameter: String) -> Bool { parameters.contains { $0.name == parameter } }

    private var parameters: [(name: String, value: String)] { (signInURL?.query).flatMap(FormEncoding.decode) ?? [] }

    /// The maximum number of remarks, because a thousand wrong callbacks must not add a thousand lines.
    static let remarkLimit = 6

    init(_ request: SignInRequest, run: RunID, now: Timestamp, typed: SignInForm.Answers = [:]) {
        self.typed = typed
        self.request = request
        self.run = run
        startedAt = now
        steps = SignInStep.standard.map { StepLine(step: $0, progress: .pending) }
    }

    func actions(in model: AppModel) -> [Action] {
        if let question { return actions(for: question, in: model) }
        let copy = Action(
            "copy", [.character("c")], label: SigningInWords.keyCopy, help: SigningInWords.helpCopy,
            obstacle: address == nil ? SigningInWords.noURLYet : nil, result: address.map { .run(.copyText($0.text)) } ?? .none)
        let pasteObstacle = takesPaste || url != nil ? nil : tr("nothing to paste yet: waiting for the provider")
        if pasteForm != nil {
            return [
                Action("submit-paste", [.enter], label: tr("submit"), obstacle: pasteObstacle, run: { $0.submit() }),
                Action("close-paste", [.escape], label: tr("close form"), change: { $0.pasteForm = nil }),
            ]
        }
        let moves = Movement.actions(label: CommonWords.keyScroll, isHinted: false) { (screen: inout Self, movement) in
            screen.move(movement, in: model)
        }
        if showsCode {
            return [
                Action(
                    "close-code", [.escape, .enter, .character("v")], label: tr("hide QR code"), change: { $0.show(code: false) })
            ] + moves
        }
        if showsAddress {
            return [
                Action(
                    "close-address", [.escape, .enter, .character("w")], label: CommonWords.keyBack,
                    change: { $0.show(address: false) }),
                copy,
            ] + moves
        }
        let accountMade = Action(
            "account-made", [.enter], label: tr("account created, sign in"),
            help: tr("the account is created: continue to sign in with it"),
            obstacle: signInURL == nil ? SigningInWords.noURLYet : nil,
            run: { screen in
                screen.signUpPage = nil
                return screen.openBrowser()
            })
        // The way out is the first hint, so that no footer is too short for it.
        return [cancel] + (hasFailedStep ? [retry] : []) + (signUpPage == nil ? [] : [accountMade]) + [
            copy,
            // A narrow footer still has it: a small terminal has no space for the QR code on this page.
            device == nil
                ? Action(
                    "request-device-code", [.character("d")], label: SigningInWords.keyDeviceCode, help: SigningInWords.helpDeviceCode,
                    obstacle: deviceCodeObstacle,
                    run: { screen in
                        screen.deviceCode = .requested
                        return .run(.requestDeviceCode(screen.run))
                    })
                : Action(
                    "code", [.character("v")], label: tr("view QR code"), help: tr("show the QR code on the whole screen"),
                    obstacle: device?.qrCode.isEmpty == false ? nil : tr("QR codes are not available on this machine"),
                    change: { $0.show(code: true) }),
            // A usual terminal cuts the URL, so its key is among those that its footer has.
            Action(
                "address", [.character("w")], label: tr("whole URL"), help: tr("show the whole sign-in URL"),
                obstacle: address == nil ? SigningInWords.noURLYet : nil, change: { $0.show(address: true) }),
            Action(
                "paste", [.character("p")], label: tr("paste URL"), help: SigningInWords.helpPaste, obstacle: pasteObstacle,
                change: { $0.pasteForm = PasteForm(isCode: $0.takesShownCode) }),
            Action(
                "open", [.character("b")], label: SigningInWords.keyOpen, help: tr("open the page in the browser again"),
                obstacle: openObstacle,
                run: { $0.openBrowser() }),
        ] + moves
    }

    var cancel: Action {
        Action(
            "cancel", [.escape, .control("c")], label: CommonWords.keyCancel, help: tr("cancel the sign-in; its port closes at once"),
            result: ScreenResult(move: .back, notice: Notice(SigningInWords.cancelled)))
    }

    /// Whether a step failed, so that the user may want a new attempt instead of this one.
    var hasFailedStep: Bool { steps.contains { $0.progress == .failed } }

    /// Cancels this attempt, and starts another one.
    private var retry: Action {
        Action(
            "retry", [.character("r")], label: ProblemWords.keyRetry,
            result: ScreenResult(commands: [.cancelSignIn(run)], move: .replace(.signingIn(request, typed: typed))))
    }

    private var openObstacle: String? {
        if url == nil { return device == nil ? SigningInWords.noURLYet : SigningInWords.codeWorksOnAnyDevice }
        return browser == .opening ? SigningInWords.browserIsOpening : nil
    }

    private var deviceCodeObstacle: String? {
        switch deviceCode {
        case .offered, .open: nil
        case .requested: SigningInWords.deviceCodeIsComing
        case .none: SigningInWords.noDeviceCode
        }
    }

    private mutating func show(code: Bool) { (showsCode, scroll) = (code, 0) }

    private mutating func show(address: Bool) { (showsAddress, scroll) = (address, 0) }

    private mutating func move(_ movement: Movement, in model: AppModel) {
        let page = SigningInPage(screen: self, model: model)
        let size = Frame.bodySize(model.size)
        let count = SigningInLayout(page, in: Rect(size))?.scrollPositions ?? page.document.scrollPositions(in: size)
        scroll = movement.from(scroll, count: count, page: model.size.rows)
    }

    func traits(in model: AppModel) -> ScreenTraits {
        let isRunning = steps.contains { if case .running = $0.progress { true } else { false } }
        return ScreenTraits(
            takesText: question?.takesText ?? (pasteForm != nil),
            selectedRow: question?.isList == true ? question?.form?.fields.first?.selected : nil, plainField: plainField,
            box: card(in: model),
            // A form alone does not change every second.
            needsTicks: question == nil || deadline != nil, isAnimated: question == nil && isRunning,
            openingCommands: [.beginSignIn(request, run)])
    }

    var backdrop: (any Screen)? { question == nil && pasteForm != nil ? withoutForm : nil }
    /// Cancels the sign-in, which closes its port.
    var closingCommands: [Command] { [.cancelSignIn(run)] }
    var interruptionNotice: Notice? { Notice(SigningInWords.cancelled) }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .signInReported(run, let event, let at): return apply(event, at: at)
        case .signInBegan(run): return .run(.followSignIn(run))
        case .browserAnswered(let opened, let outcome):
            if opened == url { browser = .answered(outcome) }
            return .none
        case .pasteAnswered(run, let failure):
            if let failure {
                pasteForm?.refusal = failure
            } else {
                pasteForm = nil
            }
            return .none
        case .deviceCodeAnswered(run, let failure?):
            if deviceCode == .requested { deviceCode = .offered }
            return .say(Words.line(failure), .warning)
        case .formAnswered(run, let failure):
            finishQuestion(with: failure)
            return .none
        default: return .none
        }
    }

    static func examples(of session: SessionName, in model: AppModel) -> [SigningInScreen] {
        [SigningInScreen(SignInRequest(provider: session.provider), run: RunID(number: 0), now: model.now)]
    }
}

extension SigningInScreen {
    /// Applies an event of the attempt.
    mutating func apply(_ event: SignInEvent, at: Timestamp) -> ScreenResult {
        switch event {
        case .planned(let planned): plan(planned)
        case .began(let step): set(step, .running(since: at))
        case .completed(let step):
            let since: Timestamp? = steps.lazy.compactMap { line in
                if line.step.id == step.id, case .running(let since) = line.progress { since } else { nil }
            }.first
            set(step, .done(took: max(.zero, at - (since ?? at))))
        case .stepFailed(let step, let failure):
            set(step, .failed, reason: Words.line(failure))
        case .hosts(let authorization, let token): hosts = Hosts(authorization: authorization, token: token)
        case .available(.browser(let url, let redirect)):
            signInURL = url
            self.redirect = redirect
            askForShownCode()
            return signUpPage == nil && request.flow != .manual ? openBrowser() : .none
        case .available(.signUpPage(let page)):
            signUpPage = page
            return openBrowser()
        case .available(.paste):
            takesPaste = true
            askForShownCode()
        case .available(.device(let prompt)): deviceCode = .open(prompt)
        case .deviceCodeOffered:
            deviceCode = .offered
            showsCode = false
        case .deviceCodeRefused(let reason): remark(tr("Device codes are not available here: {1}.", reason.text()), .plain)
        case .available(.sshForward(let command)): forwarding = command
        case .asked(let form): return ask(form)
        case .authenticator(let page): authenticator = page
        case .deadline(let moment): deadline = moment
        case .ignoredCallback(let reason):
            remark(tr("Ignored an invalid callback: {1}.", reason.text()), .plain)
            // The provider may have refused the request. The attempt continues, because another program may have sent the error.
            if reason.code == Self.errorWithoutState { set(.wait, .failed) }
        case .warning(let text): remark(Words.sentence(text), .warning)
        case .finished(.success(let session)): return .replace(.welcome(session))
        case .finishedWithoutSession(let end):
            return .replace(.nextStep(NextStep(request, end, accountPage: signUpPage, authenticator: authenticator)))
        case .finished(.failure) where signsInAgain: return .replace(.signingIn(request, typed: typed))
        case .finished(.failure(let failure)):
            var problem = Problem(SigningInWords.title(request), failure, retry: .signIn(request, typed: typed))
            // A sign-in that never began has no step that failed.
            if steps.contains(where: { $0.progress != .pending }) { problem.steps = steps }
            return .replace(.problem(problem))
        }
        return .none
    }

    /// The reason of a callback that reports an error and does not say to which sign-in it belongs.
    private static let errorWithoutState = "phrase.callback_error_no_state"

    mutating func openBrowser() -> ScreenResult {
        guard let url else { return .none }
        browser = .opening
        return .run(.openBrowser(url, request.provider))
    }

    /// Lists the planned steps after those that have already started.
    mutating func plan(_ planned: [SignInStep]) {
        let begun = steps.filter { $0.progress != .pending }
        let rest = planned.filter { step in !begun.contains { $0.step.id == step.id } }
        steps = begun + rest.map { StepLine(step: $0, progress: .pending) }
    }

    mutating func set(_ step: SignInStep, _ progress: StepLine.Progress, reason: String? = nil) {
        let line = StepLine(step: step, progress: progress, reason: reason)
        if let index = steps.firstIndex(where: { $0.step.id == step.id }) {
            steps[index] = line
        } else {
            // A flow's own step comes before the pending ones.
            steps.insert(line, at: steps.firstIndex { $0.progress == .pending } ?? steps.endIndex)
        }
    }

    mutating func remark(_ text: String, _ tone: Notice.Tone) {
        if let index = remarks.firstIndex(where: { $0.text == text }) {
            remarks[index].times += 1
        } else {
            remarks.append(Note(text: text, tone: tone))
            if remarks.count > Self.remarkLimit { remarks.removeFirst() }
        }
    }
}

extension SigningInScreen {
    /// Starts a sign-in.
    struct Request: ScreenRequest {
        var request: SignInRequest
        var typed: SignInForm.Answers

        func screen(in context: inout OpeningContext) -> SigningInScreen {
            SigningInScreen(request, run: context.startRun(), now: context.model.now, typed: typed)
        }
    }
}

extension Destination {
    /// - Parameter typed: the answers of an earlier attempt, which fill the forms.
    static func signingIn(_ request: SignInRequest, typed: SignInForm.Answers = [:]) -> Destination {
        Destination(SigningInScreen.Request(request: request, typed: typed))
    }
}
