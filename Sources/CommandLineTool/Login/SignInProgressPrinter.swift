internal import AuthEngine
internal import AuthModel
internal import Localization
internal import TerminalUI

/// Prints the progress of a sign-in on standard error, and opens the browser.
///
/// On a terminal, the progress is one line that is drawn again. The URL and the other ways to sign in are printed only if no browser was
/// opened, or when the user presses Enter.
actor SignInProgressPrinter {
    private let context: CommandContext
    private let provider: ProviderConfiguration
    private let options: LoginOptions
    /// The sign-in page to open once the user has created an account.
    private var postponed: WebURL?
    /// Whether a sign-up page comes before the sign-in page.
    private var isSigningUp = false
    /// Whether the provider's page shows a code to paste.
    private var showsCode = false
    /// The task that reads input lines once the sign-in has started.
    private var reading: Task<Void, Never>?
    /// Whether the user chose to continue without signing in.
    private(set) var skipsSignIn = false
    /// Warnings about browser requests that may not have been fulfilled.
    private(set) var browserWarnings: [String] = []
    /// The line with the progress; `nil` without a terminal, where each step has a line of its own.
    private var line: SignInLine?
    /// The task that draws the line again.
    private var drawing: Task<Void, Never>?
    /// The ways to sign in that were not printed, because a browser was opened.
    private var hidden: [StyledText] = []

    init(context: CommandContext, provider: ProviderConfiguration, options: LoginOptions) {
        self.context = context
        self.provider = provider
        self.options = options
        line = SignInLine(context)
    }

    private nonisolated var console: Console { context.console }

    func show(_ event: SignInEvent) async {
        switch event {
        case .began(let step): begin(step)
        case .planned, .completed, .finished, .finishedWithoutSession: break
        case .stepFailed(_, let failure): aside { $0.warning(failure.message.english) }
        case .hosts(let authorization, let token):
            line?.host = authorization
            let tokens = token == authorization ? "" : "; tokens come from \(token)"
            // The line names the host.
            if line == nil || !tokens.isEmpty { say(StyledText("  you sign in at \(authorization)" + tokens)) }
        case .available(let method): await show(method)
        case .asked(let form):
            pause()
            console.note("· " + form.title.english)
        case .deviceCodeOffered:
            guard readsLines else { return }
            startMethod("or enter \(SignInRun.deviceCodeKey) for a code", " to enter on another device")
        case .deviceCodeRefused(let reason): say("  device codes are not available here: \(reason.english)")
        case .authenticator(let page):
            say("  the browser opens your authenticator; if you have none, get it at " + .link(page))
        case .deadline(let end):
            line?.deadline = end
            if line == nil { say("  this times out in \((end - context.now).formatted); Ctrl-C cancels") }
        case .ignoredCallback(let reason):
            aside { $0.warning("ignored a callback that does not belong to this sign-in: \(reason.english)") }
        case .warning(let text): aside { $0.warning(text) }
        }
    }

    private func show(_ method: SignInMethod) async {
        switch method {
        case .browser(let url, let redirect):
            showsCode = redirect == RedirectRule.outOfBand.description
            let words = lead(isSigningUp ? "then sign in here:" : "open this URL in your browser:")
            let address = StyledText("  ") + .link(url)
            guard line != nil, !isSigningUp, opensBrowser else {
                start(words)
                say(address)
                guard opensBrowser else { return }
                if isSigningUp, context.canAsk {
                    // If both pages opened at once, the user could not tell which comes first.
                    postponed = url
                    say("  press Enter when you have your account")
                } else {
                    await open(url)
                }
                return
            }
            line?.hasOpenedBrowser = true
            hidden += ["", words, address]
            await open(url)
            if line?.hasOpenedBrowser != true { showMethods() }
        case .signUpPage(let url):
            isSigningUp = true
            start(lead("create your account here:"))
            say(StyledText("  ") + .link(url))
            if opensBrowser { await open(url) }
        case .device(let device): show(device)
        case .sshForward(let command):
            startMethod("or run this on your local machine", ", and open the URL above in its browser:")
            sayMethod(StyledText("  ") + .command(command))
        case .paste:
            guard readsLines else { return }
            if showsCode {
                startMethod("then paste the code", " that the page shows here")
                sayMethod(StyledText("  give that code only to this program, never to a web site", .warning))
            } else {
                startMethod("or paste the full URL", " that your browser ends on here, even if the page shows an error")
                sayMethod(StyledText("  give that URL only to this program, never to a web site", .warning))
            }
        }
    }

    /// Prints the host first and in ASCII, so that the user notices a look-alike before typing a code. Opens and copies nothing.
    private func show(_ device: DeviceCodePrompt) {
        start(lead("on any device") + StyledText(", at \(device.host): open ") + .link(device.page))
        say("  and enter the code " + StyledText(device.userCode, .title))
        say(StyledText("  only if you started this sign-in: a code that someone sent you signs them in as you", .warning))
        // Plain lines have no colours, so a code could be light on dark, which many readers do not find. The address and the code remain.
        guard line != nil, console.showsUnicode else { return }
        for row in device.qrCode { say(StyledText("  ") + .picture(row)) }
    }

    // MARK: The line

    private func begin(_ step: SignInStep) {
        guard line != nil else { return say(StyledText("· " + step.title.english)) }
        line?.step = step
        line?.draw()
        guard drawing == nil, let interval = line?.interval else { return }
        let time = context.edges.time
        drawing = Task { [weak self] in
            while (try? await time.sleep(until: time.bootTime + interval)) != nil, let self { await self.draw() }
        }
    }

    private func draw() { if drawing?.isCancelled == false { line?.draw() } }

    /// Prints a line that stays.
    private func say(_ text: StyledText) {
        guard line != nil else { return console.note(text.text) }
        line?.print(text)
        line?.draw()
    }

    /// Returns the first words of a way to sign in; on a terminal in bold, with a capital letter.
    private func lead(_ words: String) -> StyledText {
        guard line != nil else { return StyledText("  " + words) }
        return StyledText("  ") + StyledText(words.prefix(1).uppercased() + String(words.dropFirst()), .title)
    }

    /// Prints the first line of a way to sign in; on a terminal below an empty line.
    private func start(_ text: StyledText) {
        if line != nil { say("") }
        say(text)
    }

    /// Prints the first line of a way to sign in, as ``start(_:)`` does, or keeps it for later if a browser was opened.
    private func startMethod(_ words: String, _ rest: String) {
        if line != nil { sayMethod("") }
        sayMethod(lead(words) + StyledText(rest))
    }

    /// Prints a way to sign in, or keeps it for later if a browser was opened.
    private func sayMethod(_ text: StyledText) {
        guard line?.hasOpenedBrowser == true, !isSigningUp else { return say(text) }
        hidden.append(text)
        line?.offersMethods = readsLines
    }

    /// Prints the ways to sign in that were kept.
    private func showMethods() {
        line?.hasOpenedBrowser = false
        line?.offersMethods = false
        for text in hidden { say(text) }
        hidden = []
    }

    /// Prints something else between two drawings of the line.
    func aside(_ body: @Sendable (Console) -> Void) {
        line?.erase()
        body(console)
        if drawing != nil { line?.draw() }
    }

    /// Erases the line until the next step, so that questions can be asked.
    private func pause() {
        drawing?.cancel()
        drawing = nil
        line?.erase()
    }

    /// Erases the line and ends the reading of pasted lines. Call it when the attempt has ended.
    func finish() async {
        pause()
        line = nil
        await stopReading()
    }

    /// Starts reading input lines. Returns `false`, without effect, if reading has started before.
    func startReading(_ body: @escaping @Sendable () async -> Void) -> Bool {
        guard reading == nil else { return false }
        reading = Task { await body() }
        return true
    }

    func skipSignIn() { skipsSignIn = true }

    /// Ends the reading of pasted lines, so that the next line answers a question.
    func stopReading() async {
        reading?.cancel()
        await reading?.value
        reading = nil
    }

    /// Erases the line after the user typed a short text and Enter. A long one, such as a URL, takes rows of its own.
    func typed(_ text: Substring) {
        if text.utf8.count <= 2 { line?.eraseAfterEnter() }
        if drawing != nil { line?.draw() }
    }

    /// Opens the sign-in page of a new account, or shows the other ways to sign in, after the user pressed Enter.
    func proceed() async {
        guard let url = postponed else {
            return showMethods()
        }
        postponed = nil
        await open(url)
    }

    /// Whether to read pasted lines: if standard input is a terminal, or if pasting is the only way to receive the response. Otherwise
    /// standard input may belong to another program.
    nonisolated var readsLines: Bool {
        context.edges.streams.isInputTerminal || options.flow == .manual || !provider.redirects.contains(where: \.redirectsToThisMachine)
    }

    private var opensBrowser: Bool { !options.noOpen && options.flow != .manual && options.flow != .device }

    private func open(_ url: WebURL) async {
        let launch = await context.openBrowser(url, of: provider, isPrivate: options.isPrivate)
        if !launch.hasStarted { line?.hasOpenedBrowser = false }
        // On a terminal, the URL below says it.
        let needsHint = line == nil
        aside { launch.explain(to: $0, hint: needsHint ? BrowserLaunch.hint : nil) }
        if let doubt = launch.privacyWarning { browserWarnings.append(doubt) }
    }
}

extension BrowserLaunch {
    /// A warning if the requested private window may be an ordinary one.
    fileprivate var privacyWarning: String? {
        guard case .started(_, privacy: .unknown, _) = self else { return nil }
        return "cannot request a private window from this browser; it may open a normal one"
    }

    var hasStarted: Bool { if case .started = self { true } else { false } }

    /// The hint for a user whose browser was not started.
    static let hint = "open the URL yourself"

    /// Prints warnings about the launch; prints nothing if the browser started as requested.
    func explain(to console: Console, hint: String? = BrowserLaunch.hint) {
        if let privacyWarning { console.warning(privacyWarning) }
        switch self {
        case .started(let command, _, let missing):
            guard !missing.isEmpty else { break }
            console.warning("BROWSER names \(missing.joined(separator: ", ")), not found; \(command) was started instead")
        case .failed(let reason), .none(let reason):
            console.warning("no browser was started: \(reason.english)", hint: hint)
        }
    }
}
