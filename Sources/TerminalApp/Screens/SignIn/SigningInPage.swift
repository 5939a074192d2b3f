import AuthModel
import Localization
import TerminalUI

/// The signing-in screen as a document: the instruction, the steps, the hosts, the full URL, the time left.
struct SigningInPage {
    let screen: SigningInScreen
    let model: AppModel
    var glyphs: GlyphSet = .unicode

    var document: Document {
        var page = Document()
        if let form = screen.pasteForm {
            form.add(to: &page, isLow: model.size.rows < 14)
            // The form opens by itself, so the URL of the page with the code is below it.
            if form.isCode, let url = screen.url {
                page.blank()
                addFailure(to: &page)
                page.verbatim(.link(url))
            }
            return page
        }
        if screen.showsAddress, let url = screen.address {
            page.words(tr("The whole sign-in URL. Select it with the mouse, or press c to copy it."), .muted)
            page.blank()
            page.verbatim(.link(url))
            return page
        }
        if screen.showsCode {
            addCodeAlone(to: &page)
            return page
        }
        page.words([Document.Span(instruction, .accent, .bold)])
        if let advice = model.demoAdvice(for: screen.request) { page.words(Words.sentence(advice), .warning) }
        if !stepsHaveReasons { addFailure(to: &page) }
        page.blank()
        for line in screen.steps { add(line, to: &page, column: Self.timeColumn) }
        page.blank()
        addHosts(to: &page)
        if let url = screen.url {
            page.blank()
            addAddress(url, to: &page)
        }
        if !hasOtherMethods { addAuthenticator(to: &page) }
        addOtherMethods(to: &page)
        addRemarks(to: &page)
        // The header has the countdown too, and the other methods need the rows.
        if !hasOtherMethods { addCountdown(to: &page) }
        return page
    }

    func addAuthenticator(to page: inout Document) {
        guard let authenticator = screen.authenticator else { return }
        page.blank()
        let intro = tr("Finish in the browser or in the authenticator that it opens. If you have no authenticator yet, get it at")
        page.words([Document.Span(intro + " ", .muted), .link(authenticator)])
    }

    /// Adds the remarks about ignored callbacks and unusual events.
    func addRemarks(to page: inout Document) {
        if !screen.remarks.isEmpty { page.blank() }
        for remark in screen.remarks {
            let text = remark.text + (remark.times > 1 ? tr(" ({1} times)", remark.times) : "")
            page.words(text, remark.tone == .warning ? .warning : .muted)
        }
    }

    /// Adds the time left as a bar and as text.
    func addCountdown(to page: inout Document) {
        guard let deadline = screen.deadline else { return }
        let left = max(.zero, deadline - model.now)
        let whole = max(.milliseconds(1), deadline - screen.startedAt)
        page.blank()
        page.bar(
            Double(left.wholeMilliseconds) / Double(whole.wholeMilliseconds), Self.countdown(left),
            left < .seconds(30) ? .warning : .text, bar: left < .seconds(30) ? .warning : .barFilled)
    }

    /// Returns the time left as text.
    static func countdown(_ left: Duration) -> String {
        left > .zero ? SigningInWords.left(Words.span(left)) : tr("timed out")
    }

    /// The instruction for the user, in one sentence.
    var instruction: String {
        if screen.steps.contains(where: { $0.step.id == SignInStep.wait.id && $0.progress.isDone }) {
            return tr("Almost done. The rest takes a moment and needs no action.")
        }
        if screen.hasFailedStep { return tr("A step failed; the reason is below. Press r to try again.") }
        guard screen.url != nil else {
            if screen.device != nil { return tr("Sign in on any device. This screen updates itself.") }
            return isProcessing
                ? tr("Signing you in. You do not need to do anything.")
                : tr("Finding out how to sign in to {1}.", screen.request.provider)
        }
        if screen.signUpPage != nil { return tr("First create your account in the browser. Then come back and press Enter.") }
        return switch screen.browser {
        case .opening: SigningInWords.browserOpening
        case .answered(.opened):
            screen.request.purpose == .signUp ? tr("Finish in your browser. This screen updates itself.") : SigningInWords.signInThere
        case _ where hasOtherMethods: SigningInWords.anyMethod
        case .notAsked: SigningInWords.browserOpening
        case .answered(.noBrowser), .answered(.failed): tr("Open the sign-in URL below in a browser on this machine and sign in there.")
        }
    }

    /// Whether a step after discovery and opening the browser has started, so that the user has nothing to do.
    private var isProcessing: Bool {
        let first = [SignInStep.discover.id, SignInStep.details.id, SignInStep.open.id]
        return screen.steps.contains { line in
            if case .running = line.progress {
                !first.contains(line.step.id)
            } else {
                line.progress.isDone && !first.contains(line.step.id)
            }
        }
    }

    /// Adds why a step failed, and why no browser opened, where the steps do not say it.
    func addFailure(to page: inout Document) {
        for reason in screen.steps.compactMap(\.reason) { page.words(Words.sentence(reason), .danger) }
        switch screen.browser {
        // With other methods available, a missing browser is not an error.
        case .answered(.noBrowser) where hasOtherMethods: break
        case .answered(.noBrowser): page.words(SigningInWords.noBrowser, .warning)
        case .answered(.failed(let reason)): page.words(SigningInWords.browserFailed(reason), .warning)
        default: break
        }
    }

    /// Adds the address: in one row; in full where no key shows the rest.
    private func addAddress(_ url: WebURL, to page: inout Document) {
        guard !model.isPlain else { return page.verbatim(.link(url)) }
        let columns = model.size.columns - 2 * Document.margin
        page.row(.link(url, FittedText(url.text, columns: columns, cut: .middle, ellipsis: glyphs.ellipsis).text))
    }

    /// The column before which the time of a step ends.
    static let timeColumn = 46

    /// Whether a step says why it failed.
    var stepsHaveReasons: Bool { screen.steps.contains { reason(of: $0) != nil } }

    /// Whether a step failed or opened no browser.
    private func hasFailed(_ line: SigningInScreen.StepLine) -> Bool {
        line.progress == .failed || line.progress != .pending && line.step.id == SignInStep.open.id && !screen.browser.isOpen
    }

    /// Returns why a step failed; nil if it did not. With other methods available, a missing browser is not an error.
    private func reason(of line: SigningInScreen.StepLine) -> String? {
        guard hasFailed(line) else { return nil }
        if let reason = line.reason { return reason }
        guard line.step.id == SignInStep.open.id else { return nil }
        switch screen.browser {
        case .answered(.noBrowser) where hasOtherMethods: return nil
        case .answered(.noBrowser): return SigningInWords.noBrowser
        case .answered(.failed(let reason)): return reason.text()
        default: return nil
        }
    }

    /// - Parameters:
    ///   - column: the column before which the step's time ends.
    ///   - hasReason: whether the reason of a failure stands beside its step.
    func add(_ line: SigningInScreen.StepLine, to page: inout Document, column: Int, hasReason: Bool = true) {
        let title = line.step.title.text()
        guard !hasFailed(line) else {
            // The sign-in goes on without a browser.
            let isLost = line.progress == .failed
            let (role, bold): (Role, Attributes) = isLost ? (.danger, .bold) : (.warning, [])
            let name = [Document.Span(glyphs.cross + " ", role, bold), Document.Span(title, isLost ? .danger : .text, bold)]
            guard hasReason, let why = reason(of: line) else { return page.blocks.append(.row(name, indent: 0)) }
            return page.words(name + [Document.Span("  " + why, role)], hanging: 2)
        }
        switch line.progress {
        case .pending:
            page.row(Document.Span(glyphs == .ascii ? ". " : "· ", .muted), Document.Span(title, .muted))
        case .running(let since):
            let frame = Spinner.frame(at: model.motion == .full ? model.now.milliseconds : 0, glyphs: glyphs)
            let took = Words.span(max(.zero, model.now - since))
            page.timed([Document.Span(frame + " ", .accent), Document.Span(title, .text, .bold)], Document.Span(took), column: column)
        case .failed: break
        case .done(let took):
            let time = Document.Span(Words.stepSpan(took), .muted)
            page.timed([Document.Span(glyphs.check + " ", .success), Document.Span(title)], time, column: column)
        }
    }

    func addHosts(to page: inout Document) {
        let width = 21
        if let host = hostSpans { page.term(SigningInWords.signInAt, host, width: width) }
        if let redirect = screen.redirect, !hasOtherMethods, !screen.takesShownCode {
            page.term(SigningInWords.callbackURL, redirect, .muted, width: width)
        }
        if !screen.scopes.isEmpty, !hasOtherMethods { page.term(SigningInWords.asksFor, screen.scopes.wire, .muted, width: width) }
    }

    /// The host that gets the password, and the one that issues the tokens; nil if they are not known yet.
    var hostSpans: [Document.Span]? {
        screen.hosts.map { hosts in
            let isSame = hosts.authorization == hosts.token
            let issuer = isSame ? tr("same host issues the tokens") : tr("tokens come from {1}", hosts.token)
            return [Document.Span(hosts.authorization, .accent, .bold), Document.Span(", " + issuer, .muted)]
        }
    }
}

extension SigningInScreen.StepLine.Progress {
    var isDone: Bool { if case .done = self { true } else { false } }
}

/// The other sign-in methods, available at the same time as the browser.
extension SigningInPage {
    /// Whether there is another sign-in method than the browser on this machine.
    var hasOtherMethods: Bool { screen.device != nil || screen.forwarding != nil }

    func addOtherMethods(to page: inout Document) {
        if let device = screen.device {
            page.blank()
            addDevice(device, to: &page)
        }
        addForwarding(to: &page)
        if hasOtherMethods, screen.takesPaste {
            page.blank()
            page.words(SigningInWords.orPaste(isCode: screen.takesShownCode))
        }
    }

    /// The actions that are a sign-in method, or a part of one.
    private static let methods: Set = ["account-made", "copy", "open", "paste", "code", "request-device-code", "address"]

    /// Adds the keys of the sign-in methods; those that do not work now are muted, so that the others keep their place.
    func addKeys(to page: inout Document) {
        for binding in screen.keys(in: model).bindings where Self.methods.contains(binding.action) {
            guard let key = binding.keys.first else { continue }
            let works = binding.unavailable == nil
            page.term(
                key.label(glyphs), [Document.Span(binding.help, works ? .text : .muted)], width: 4, as: works ? .key : .muted)
            page.mark(as: .key(key))
        }
    }

    /// Adds the QR code with its caption.
    ///
    /// - Parameter isTight: whether no empty row separates the code from what is above it; its light zone does.
    func addCode(_ lines: [String], of device: DeviceCodePrompt, isTight: Bool = false, to page: inout Document) {
        if !isTight { page.blank() }
        for line in lines { page.picture(line) }
        page.words(SigningInWords.scan(device.host), .muted)
    }

    /// Adds the code in large letters, if they fit.
    func addLargeCode(_ device: DeviceCodePrompt, columns: Int, isTight: Bool, to page: inout Document) {
        guard glyphs != .ascii, let groups = LargeLetters.groups(device.userCode, columns: columns) else { return }
        if !isTight { page.blank() }
        for lines in groups {
            for line in lines { page.row(Document.Span(line, .accent)) }
            page.blank()
        }
    }

    /// Adds the page and the code for signing in on another device.
    ///
    /// - Parameters:
    ///   - hasOwnRow: whether the code has a row of its own, where the text would wrap before it.
    ///   - columns: the width for the code in large letters; 0 leaves them out.
    ///   - isTight: whether no empty row is above the large letters.
    func addDevice(
        _ device: DeviceCodePrompt, hasOwnRow: Bool = false, columns: Int = 0, isTight: Bool = false, to page: inout Document
    ) {
        // The host comes first and in ASCII, so that the user notices a look-alike before typing a code.
        let directions = [
            Document.Span(tr("On any device, at ")), Document.Span(device.host, .accent, .bold),
            Document.Span(tr(": open ")), .link(device.page),
        ]
        let code = [Document.Span(SigningInWords.typeCode), Document.Span(device.userCode, .accent, .bold)]
        page.words(hasOwnRow ? directions : directions + code, hanging: 2)
        if hasOwnRow { page.blocks.append(.row(code, indent: 1)) }
        addLargeCode(device, columns: columns, isTight: isTight, to: &page)
        page.words(SigningInWords.onlyIfYours, .warning)
    }

    /// Adds the SSH command that connects the browser on the user's machine with this one.
    func addForwarding(to page: inout Document) {
        guard let forwarding = screen.forwarding else { return }
        page.blank()
        page.words(tr("Or run this on your local machine, then open the full URL there:"))
        page.verbatim(Document.Span(forwarding, .link))
    }
}

extension SigningInPage {
    /// Adds what the provider is asked to allow, a line for each scope, and what protects the sign-in, as far as the URL tells.
    func addRequest(to page: inout Document) {
        guard !screen.scopes.isEmpty else { return }
        page.blank()
        page.words(tr("What the provider is asked to allow:"), .muted)
        let width = screen.scopes.values.reduce(0) { max($0, SafeText.width(of: $1)) } + 2
        for scope in screen.scopes.values {
            page.term(
                scope, SigningInWords.meaning(ofScope: scope) ?? tr("the provider's page says what it means"), .muted, width: min(width, 30)
            )
        }
        page.blank()
        page.words(tr("What protects this sign-in:"), .muted)
        for (name, meaning) in SigningInWords.protections where screen.sends(name) {
            page.words([Document.Span(glyphs.check + " ", .success), Document.Span(meaning)], hanging: 2)
        }
    }
}

extension SigningInScreen {
    func title(in model: AppModel) -> String { SigningInWords.title(request) }

    func status(in model: AppModel) -> String { deadline.map { SigningInPage.countdown($0 - model.now) } ?? "" }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        if let question { return draw(question, in: area, model, into: &buffer) }
        let page = SigningInPage(screen: self, model: model, glyphs: buffer.glyphs)
        if showsCode, page.drawCode(in: area, into: &buffer) { return }
        if let layout = SigningInLayout(page, in: area) {
            layout.draw(into: &buffer)
        } else {
            page.document.draw(in: area, scroll: scroll, into: &buffer)
        }
    }
}

extension Document.Span {
    /// Returns a URL that a click opens in a terminal with links: one that the app itself would open, never one that a token or a server's
    /// message contains.
    ///
    /// - Parameters:
    ///   - text: the visible part of the URL; nil shows all of it.
    ///   - role: the colour of the text.
    static func link(_ url: WebURL, _ text: String? = nil, as role: Role = .link) -> Document.Span {
        var span = Document.Span(text ?? url.text, role)
        span.link = LinkAddress(url.text)
        return span
    }
}
