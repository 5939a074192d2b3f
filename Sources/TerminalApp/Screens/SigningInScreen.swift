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
    /// Remarks about ignored callbacks and unusual events, the newest last; equal ones are counted.
    var remarks: [Note] = []
    /// The first visible line, if the screen scrolls.
    var scroll = 0

    /// The device code to type, if there is one.
    var device: DeviceCodePrompt? { if case .open(let way) = deviceCode { way } else { nil } }
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

    /// A step: pending, running, or done.
    struct StepLine: Equatable, Sendable {
        var step: SignInStep
        var progress: Progress

        enum Progress: Equatable, Sendable {
            case pending
            case running(since: Timestamp)
            case done(took: Duration)
        }
    }

    struct Note: Equatable, Sendable {
        var text: String
        var tone: Notice.Tone
        var times = 1
    }

    enum Action: Hashable, Sendable {
        case accountMade
        case copy
        case open
        case paste
        case code
        case closeCode
        case address
        case closeAddress
        case requestDeviceCode
        case cancel
        case move(Movement)
        case submitPaste
        case closePaste
        case question(Form<String>.Action)
        case choose(Movement)
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

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        if let question { return bindings(for: question) }
        if pasteForm != nil {
            return [
                KeyBinding(Key.enter, action: Action.submitPaste, label: SigningInWords.keySubmit),
                KeyBinding(.escape, action: .closePaste, label: SigningInWords.keyClose),
            ]
        }
        if showsCode { return [KeyBinding(.escape, .enter, .character("v"), action: .closeCode, label: SigningInWords.keyCloseCode)] }
        if showsAddress {
            return [
                KeyBinding(.escape, .enter, .character("w"), action: .closeAddress, label: SigningInWords.keyClose),
                KeyBinding(.character("c"), action: Action.copy, label: SigningInWords.keyCopy, help: SigningInWords.helpCopy),
            ] + Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: false)
        }
        let made =
            signUpPage == nil
            ? []
            : [
                KeyBinding(
                    Key.enter, action: Action.accountMade, label: SigningInWords.keyAccountMade, help: SigningInWords.helpAccountMade)
            ]
        let code =
            device == nil
            ? KeyBinding(
                .character("d"), action: Action.requestDeviceCode, label: SigningInWords.keyDeviceCode, help: SigningInWords.helpDeviceCode)
            : KeyBinding(.character("v"), action: Action.code, label: SigningInWords.keyCode, help: SigningInWords.helpCode)
        let ways = [
            KeyBinding(.character("c"), action: Action.copy, label: SigningInWords.keyCopy, help: SigningInWords.helpCopy),
            KeyBinding(.character("b"), action: .open, label: SigningInWords.keyOpen, help: SigningInWords.helpOpen),
            KeyBinding(.character("p"), action: .paste, label: SigningInWords.keyPaste, help: SigningInWords.helpPaste),
        ]
        let cancel = KeyBinding(
            .escape, .control("c"), action: Action.cancel, label: SigningInWords.keyCancel, help: SigningInWords.helpCancel)
        let address = KeyBinding(
            .character("w"), action: Action.address, label: SigningInWords.keyAddress, help: SigningInWords.helpAddress)
        // The way out is the first hint, so that no footer is too short for it.
        return [cancel] + made + ways + [code, address] + Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: false)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .cancel, .closePaste, .closeCode, .closeAddress, .move, .choose: nil
        case .question: question?.progress == .answering ? AnswerFormWords.isAnswering : nil
        case .accountMade: signInURL == nil ? SigningInWords.noURLYet : nil
        case .copy, .address: address == nil ? SigningInWords.noURLYet : nil
        case .open:
            url == nil
                ? (device == nil ? SigningInWords.noURLYet : SigningInWords.codeWorksOnAnyDevice)
                : browser == .opening ? SigningInWords.browserIsOpening : nil
        case .code: device?.qrCode.isEmpty == false ? nil : SigningInWords.noCodeDrawn
        case .requestDeviceCode:
            switch deviceCode {
            case .offered, .open: nil
            case .asked: SigningInWords.deviceCodeIsComing
            case .none: SigningInWords.noDeviceCode
            }
        case .paste, .submitPaste: takesPaste || url != nil ? nil : SigningInWords.nothingToPasteYet
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .accountMade:
            signUpPage = nil
            return openBrowser()
        case .copy: return address.map { .run(.copyText($0.text)) } ?? .none
        case .open: return openBrowser()
        case .paste:
            pasteForm = PasteForm(isCode: takesShownCode)
            return .none
        case .closePaste:
            pasteForm = nil
            return .none
        case .code, .closeCode:
            showsCode = action == .code
            scroll = 0
            return .none
        case .address, .closeAddress:
            showsAddress = action == .address
            scroll = 0
            return .none
        case .requestDeviceCode:
            deviceCode = .asked
            return .run(.requestDeviceCode(run))
        case .submitPaste: return submit()
        case .question(let action): return perform(action)
        case .choose(let movement):
            question?.choose(movement, page: Frame.bodySize(model.size).rows)
            return .none
        case .cancel: return ScreenResult(move: .back, notice: Notice(SigningInWords.cancelled))
        case .move(let movement):
            let page = SigningInPage(screen: self, model: model)
            let size = Frame.bodySize(model.size)
            let count = SigningInLayout(page, in: Rect(size))?.scrollPositions ?? page.document.scrollPositions(in: size)
            scroll = movement.from(scroll, count: count, page: model.size.rows)
            return .none
        }
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

    /// A form alone does not change every second.
    func needsTicks(in model: AppModel) -> Bool { question == nil || deadline != nil }

    var openingCommands: [Command] { [.beginSignIn(request, run)] }
    /// Cancels the sign-in, which closes its port.
    var closingCommands: [Command] { [.cancelSignIn(run)] }
    var interruptionNotice: Notice? { Notice(SigningInWords.cancelled) }

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
