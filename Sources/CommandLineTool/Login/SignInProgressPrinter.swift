internal import AuthEngine
internal import AuthModel
internal import Localization

/// Prints the progress of a sign-in on standard error, and opens the browser.
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

    init(context: CommandContext, provider: ProviderConfiguration, options: LoginOptions) {
        self.context = context
        self.provider = provider
        self.options = options
    }

    private nonisolated var console: Console { context.console }

    func tell(_ event: SignInEvent) async {
        switch event {
        case .began(let step): console.note("· " + step.title.english)
        case .planned, .completed, .finished, .finishedWithoutSession: break
        case .hosts(let authorization, let token):
            console.note("  you sign in at \(authorization)" + (token == authorization ? "" : "; tokens come from \(token)"))
        case .available(let method): await tell(method)
        case .asked(let form): console.note("· " + form.title.english)
        case .deviceCodeOffered:
            guard readsLines else { return }
            console.note("  or enter \(SignInRun.deviceCodeKey) for a code to enter on another device")
        case .deviceCodeRefused(let reason): console.note("  device codes are not available here: \(reason.english)")
        case .authenticator(let page):
            console.note("  the browser opens your authenticator; if you have none, get it at \(page.text)")
        case .deadline(let end): console.note("  this times out in \((end - context.now).formatted); Ctrl-C cancels")
        case .ignoredCallback(let reason): console.warning("ignored a callback that does not belong to this sign-in: \(reason.english)")
        case .warning(let text): console.warning(text)
        }
    }

    private func tell(_ way: SignInMethod) async {
        switch way {
        case .browser(let url, let redirect):
            showsCode = redirect == RedirectRule.outOfBand.description
            console.note(isSigningUp ? "  then sign in here:" : "  open this URL in your browser:")
            console.note("  " + url.text)
            guard opensBrowser else { return }
            if isSigningUp, context.canAsk {
                // If both pages opened at once, the user could not tell which comes first.
                postponed = url
                console.note("  press Enter when you have your account")
            } else {
                await open(url)
            }
        case .signUpPage(let url):
            isSigningUp = true
            console.note("  create your account here:")
            console.note("  " + url.text)
            if opensBrowser { await open(url) }
        case .device(let device): tell(device)
        case .sshForward(let command):
            console.note("  or run this on your local machine, and open the URL above in its browser:")
            console.note("  " + command)
        case .paste:
            guard readsLines else { return }
            if showsCode {
                console.note("  then paste the code that the page shows here")
                console.note("  give that code only to this program, never to a web site")
            } else {
                console.note("  or paste the full URL that your browser ends on here, even if the page shows an error")
                console.note("  give that URL only to this program, never to a web site")
            }
        }
    }

    /// Prints the host first and in ASCII, so that the user notices a look-alike before typing a code. Opens and copies nothing.
    private func tell(_ device: DeviceCodePrompt) {
        console.note("  on any device, at \(device.host): open \(device.page.text)")
        console.note("  and enter the code \(device.userCode)")
        console.note("  only if you started this sign-in: a code that someone sent you signs them in as you")
        guard context.edges.streams.isDiagnosticsTerminal, console.showsUnicode else { return }
        for line in device.qrCode { console.note("  " + line) }
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

    /// Opens the sign-in page after the user pressed Enter.
    func proceed() async {
        guard let url = postponed else { return }
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
        let request = BrowserRequest(url: url, command: provider.browser, isPrivate: options.isPrivate || provider.isPrivate)
        let launch = await context.edges.openBrowser(request)
        launch.explain(to: console)
        if let doubt = launch.privacyWarning { browserWarnings.append(doubt) }
    }
}

extension BrowserLaunch {
    /// A warning if the requested private window may be an ordinary one.
    fileprivate var privacyWarning: String? {
        guard case .started(_, privacy: .unknown, _) = self else { return nil }
        return "cannot request a private window from this browser; it may open a normal one"
    }

    /// Prints warnings about the launch; prints nothing if the browser started as requested.
    func explain(to console: Console) {
        if let privacyWarning { console.warning(privacyWarning) }
        switch self {
        case .started(let command, _, let missing):
            guard !missing.isEmpty else { break }
            console.warning("BROWSER names \(missing.joined(separator: ", ")), not found; \(command) was started instead")
        case .failed(let reason), .none(let reason):
            console.warning("no browser was started: \(reason.english)")
            console.hint("open the URL yourself")
        }
    }
}
