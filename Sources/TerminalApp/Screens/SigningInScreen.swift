import AuthModel
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
    /// Why a step failed in an attempt that continues, in one line.
    var trouble: String?
    /// The first visible line, if the screen scrolls.
    var scroll = 0

    /// The device code to type, if there is one.
    var device: DeviceCodePrompt? { if case .open(let prompt) = deviceCode { prompt } else { nil } }
    /// The URL that the browser opens now.
    var url: WebURL? { signUpPage ?? signInURL }
    /// The URL that can be copied: never one that contains the code, because an attacker could trick someone into opening it.
    var address: WebURL? { url ?? device?.page }

    struct Hosts: Equatable, Sendable {
        var authorization: String
        var token: String
    }

    enum Browser: Equatable, Sendable {
        case notAsked
        case opening
        case answered(BrowserOutcome)
    }

    /// The state of the device code: none → offered or open; offered → asked; asked → open or offered; open → offered when the code
    /// expires.
    enum DeviceCode: Equatable, Sendable {
        case none
        /// Available on request.
        case offered
        case asked
        case open(DeviceCodePrompt)
    }

    /// A step: pending, running, done, or failed in an attempt that continues.
    struct StepLine: Equatable, Sendable {
        var step: SignInStep
        var progress: Progress

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
        let pasteObstacle = takesPaste || url != nil ? nil : SigningInWords.nothingToPasteYet
        if pasteForm != nil {
            return [
                Action("submit-paste", [.enter], label: SigningInWords.keySubmit, obstacle: pasteObstacle, run: { $0.submit() }),
                Action("close-paste", [.escape], label: SigningInWords.keyClose, change: { $0.pasteForm = nil }),
            ]
        }
        if showsCode {
            return [
                Action(
                    "close-code", [.escape, .enter, .character("v")], label: SigningInWords.keyCloseCode, change: { $0.show(code: false) })
            ]
        }
        let moves = Movement.actions(label: CommonWords.keyScroll, isHinted: false) { (screen: inout Self, movement) in
            screen.move(movement, in: model)
        }
        if showsAddress {
            return [
                Action(
                    "close-address", [.escape, .enter, .character("w")], label: SigningInWords.keyClose,
                    change: { $0.show(address: false) }),
                copy,
            ] + moves
        }
        let accountMade = Action(
            "account-made", [.enter], label: SigningInWords.keyAccountMade, help: SigningInWords.helpAccountMade,
            obstacle: signInURL == nil ? SigningInWords.noURLYet : nil,
            run: { screen in
                screen.signUpPage = nil
                return screen.openBrowser()
            })
        // The way out is the first hint, so that no footer is too short for it.
        return [cancel] + (hasFailedStep ? [retry] : []) + (signUpPage == nil ? [] : [accountMade]) + [
            copy,
            Action(
                "open", [.character("b")], label: SigningInWords.keyOpen, help: SigningInWords.helpOpen, obstacle: openObstacle,
                run: { $0.openBrowser() }),
            Action(
                "paste", [.character("p")], label: SigningInWords.keyPaste, help: SigningInWords.helpPaste, obstacle: pasteObstacle,
                change: { $0.pasteForm = PasteForm(isCode: $0.takesShownCode) }),
            device == nil
                ? Action(
                    "request-device-code", [.character("d")], label: SigningInWords.keyDeviceCode, help: SigningInWords.helpDeviceCode,
                    obstacle: deviceCodeObstacle,
                    run: { screen in
                        screen.deviceCode = .asked
                        return .run(.requestDeviceCode(screen.run))
                    })
                : Action(
                    "code", [.character("v")], label: SigningInWords.keyCode, help: SigningInWords.helpCode,
                    obstacle: device?.qrCode.isEmpty == false ? nil : SigningInWords.noCodeDrawn, change: { $0.show(code: true) }),
            Action(
                "address", [.character("w")], label: SigningInWords.keyAddress, help: SigningInWords.helpAddress,
                obstacle: address == nil ? SigningInWords.noURLYet : nil, change: { $0.show(address: true) }),
        ] + moves
    }

    var cancel: Action {
        Action(
            "cancel", [.escape, .control("c")], label: SigningInWords.keyCancel, help: SigningInWords.helpCancel,
            result: ScreenResult(move: .back, notice: Notice(SigningInWords.cancelled)))
    }

    /// Whether a step failed, so that the user may want a new attempt instead of this one.
    private var hasFailedStep: Bool { steps.contains { $0.progress == .failed } }

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
        case .asked: SigningInWords.deviceCodeIsComing
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
            box: card(in: model), backdrop: question == nil && pasteForm != nil ? withoutForm : nil,
            // A form alone does not change every second.
            needsTicks: question == nil || deadline != nil, isAnimated: question == nil && isRunning,
            openingCommands: [.beginSignIn(request, run)],
            // Cancels the sign-in, which closes its port.
            closingCommands: [.cancelSignIn(run)], interruptionNotice: Notice(SigningInWords.cancelled))
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .signInReported(run, let event, let at): return take(event, at: at)
        case .signInBegan(run): return .run(.followSignIn(run))
        case .browserAnswered(let opened, let outcome):
            if opened == url { browser = .answered(outcome) }
            return .none
        case .pasteAnswered(run, let failure):
            if let failure {
                pasteForm?.answer = failure
            } else {
                pasteForm = nil
            }
            return .none
        case .deviceCodeAnswered(run, let failure?):
            if deviceCode == .asked { deviceCode = .offered }
            return .say(Words.line(failure), .warning)
        case .formAnswered(run, let failure):
            take(failure)
            return .none
        default: return .none
        }
    }

    static func examples(of session: SessionName, in model: AppModel) -> [SigningInScreen] {
        [SigningInScreen(SignInRequest(provider: session.provider), run: RunID(number: 0), now: model.now)]
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
