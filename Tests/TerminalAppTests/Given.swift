import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// States of the app, made by the messages that lead to them.
enum Given {
    /// The app after the session service answered.
    static func loaded(
        providers: [ProviderSummary] = [], sessions: [SessionSummary] = [], seal: SealReport = .unlocked,
        presets: ServiceChoices = Sample.presets, size: Size = Size(columns: 80, rows: 24)
    ) -> AppState {
        var state = AppState(Sample.settings, now: Sample.now, presets: presets)
        state.model.usesAgent = true
        _ = state.take(.resized(size))
        _ = state.take(.loaded(seal, providers: providers, sessions: sessions, at: Sample.now))
        return state
    }

    static func firstRun() throws -> AppState {
        loaded(providers: [try Sample.provider("lab", signUp: true), try Sample.provider("work", accounts: ["ada@example.org"])])
    }

    static func sessions(size: Size = Size(columns: 80, rows: 24)) throws -> AppState {
        loaded(
            providers: [try Sample.provider("lab", signUp: true), try Sample.provider("work", accounts: ["ada@example.org"])],
            sessions: try Sample.sessions(), size: size)
    }

    /// A sign-in over SSH: browser, device, forwarding and paste are open at once.
    static func signInMethods() throws -> AppState {
        let device = DeviceCodePrompt(
            userCode: "WDJB-MJHT", page: try Sample.url("https://id.example.org/device"),
            completePage: try Sample.url("https://id.example.org/device?user_code=WDJB-MJHT"),
            qrCode: Sample.qrCode)
        var state = try signingIn()
        let ways: [SignInMethod] = [
            .device(device), .sshForward(command: "ssh -L 40123:127.0.0.1:40123 203.0.113.7"), .paste,
        ]
        for way in ways { _ = state.take(.signInReported(RunID(number: 1), .available(way), at: state.model.now)) }
        _ = state.take(.browserAnswered(try Sample.url(), .noBrowser))
        return state
    }

    /// A sign-in with cached metadata at a provider that no longer answers.
    static func unansweredSignIn() throws -> AppState {
        var state = try signingIn()
        let failure = AuthFailure(
            .unavailable(retryAfter: nil), text: "id.example.org does not answer", hint: "check your network, or try again later")
        _ = state.take(.signInReported(RunID(number: 1), .stepFailed(.discover, failure), at: Sample.now))
        return state
    }

    /// A sign-in that waits for the user.
    static func signingIn() throws -> AppState {
        var state = loaded(providers: [try Sample.provider("work")])
        _ = state.press(.enter)
        let run = RunID(number: 1)
        _ = state.take(.signInBegan(run))
        var at = Sample.now
        func report(_ event: SignInEvent, after time: Duration = .zero) {
            at = at + time
            _ = state.take(.signInReported(run, event, at: at))
        }
        report(.deadline(Sample.now + .seconds(300)))
        report(.began(.discover))
        report(.completed(.discover), after: .milliseconds(320))
        report(.hosts(authorization: "id.example.org", token: "id.example.org"))
        report(.began(.open))
        let url = try Sample.url()
        report(.available(.browser(url: url, redirect: "http://127.0.0.1:40123/callback")))
        report(.available(.paste))
        report(.completed(.open), after: .milliseconds(140))
        report(.began(.wait))
        _ = state.take(.browserAnswered(url, .opened))
        _ = state.take(.ticked(Sample.now + .seconds(12)))
        return state
    }

    /// A sign-in that asks for user name and password.
    static func askedForm(_ form: SignInForm = Sample.passwordForm, size: Size = Size(columns: 80, rows: 24)) throws -> AppState {
        var state = loaded(providers: [try Sample.provider("work")], size: size)
        _ = state.press(.enter)
        let run = RunID(number: 1)
        _ = state.take(.signInBegan(run))
        _ = state.take(.signInReported(run, .asked(form), at: Sample.now))
        return state
    }

    /// The provider signed in another account than the session's.
    static func otherAccount() throws -> AppState {
        var state = try sessions()
        let request = SignInRequest(provider: try Sample.provider("lab").name, account: "grace")
        _ = state.apply(.open(.signingIn(request)), of: nil)
        let run = RunID(number: 1)
        _ = state.take(.signInBegan(run))
        let form = SignInForm(
            title: UserMessage("form.other_account", ["account": "ada (Ada Lovelace, ada@example.org)", "session": "lab/grace"]),
            fields: [
                .init(
                    id: SignInForm.otherAccountField, label: "form.other_account_choice",
                    kind: .choice([
                        .init(SignInForm.otherAccountDiscarded, title: "form.discard"),
                        .init("keep", title: UserMessage("form.keep_as", ["session": "lab/ada"])),
                    ]), suggestion: SignInForm.otherAccountDiscarded)
            ])
        _ = state.take(.signInReported(run, .asked(form), at: state.model.now))
        return state
    }

    /// The provider received a request for an account.
    static func accountRequested() throws -> AppState {
        var state = try askedForm(Sample.emailForm)
        let run = RunID(number: 1)
        let end = NoSession(.accountRequested, "beyond_identity.account_requested", hint: "get the authenticator")
        _ = state.take(.signInReported(run, .authenticator(page: try Sample.url("https://app.byndid.com/downloads")), at: Sample.now))
        _ = state.take(.signInReported(run, .finishedWithoutSession(end), at: Sample.now))
        return state
    }

    static func session() throws -> AppState {
        var state = loaded(
            providers: [try Sample.provider("work", accounts: ["ada@example.org"])],
            sessions: [try Sample.session("work/ada@example.org", used: ("git", .seconds(180)))])
        let session = try #require(state.model.sessions?.first)
        _ = state.press(.enter)
        _ = state.take(.sessionLoaded(session.name, .success(Sample.detail(session))))
        return state
    }

    static func inspector() throws -> AppState {
        var state = try session()
        let session = try #require(state.model.sessions?.first)
        _ = state.press(.character("i"))
        _ = state.take(.tokensLoaded(session.name, .success(Sample.detail(session).tokens)))
        return state
    }

    static func receipt(browser: Bool = false) throws -> AppState {
        var state = try session()
        _ = state.press(.character("o"))
        _ = state.press(.enter)
        let name = try Sample.name("work/ada@example.org")
        let receipt = SignOutReceipt(
            session: name,
            entries: [
                .init(.revokeRefreshToken, .done),
                .init(.revokeAccessToken, .failed(reason: "the provider answered 503", isQueued: true)),
                .init(.endBrowserSession, .skipped(reason: "it was not asked for")), .init(.forget, .done),
            ],
            browserURL: browser ? try Sample.url("http://127.0.0.1:8400/once") : nil,
            shownURL: browser ? try Sample.url("https://id.example.org/logout") : nil)
        _ = state.take(.serviceReported(.sessionsChanged([])))
        _ = state.take(.signOutEnded(name, .revoke, .success(receipt)))
        return state
    }

    /// Signing out everywhere, after `ended` sessions have ended; the provider of the first could not be told.
    static func signingOutEverywhere(_ ended: Int) throws -> AppState {
        var state = pressed(try sessions(), .character("O"), .character("y"))
        for (index, session) in try Sample.sessions().prefix(ended).enumerated() {
            let revoked: SignOutReceipt.Outcome = index == 0 ? .failed(reason: "the provider answered 503", isQueued: true) : .done
            let receipt = SignOutReceipt(session: session.name, entries: [.init(.revokeRefreshToken, revoked), .init(.forget, .done)])
            _ = state.take(.signOutEnded(session.name, .revoke, .success(receipt)))
        }
        return state
    }

    static func problem() throws -> AppState {
        var state = try signingIn()
        let failure = AuthFailure(
            .security, text: "the ID token was not signed by the provider", hint: "tell the provider's operator; nothing was stored")
        _ = state.take(.signInReported(RunID(number: 1), .finished(.failure(failure)), at: Sample.now))
        return state
    }

    static func welcome(_ session: SessionSummary? = nil) throws -> AppState {
        var state = try signingIn()
        let session = try session ?? Sample.session("work/ada@example.org")
        _ = state.take(.serviceReported(.sessionsChanged([session])))
        _ = state.take(.signInReported(RunID(number: 1), .finished(.success(session)), at: Sample.now))
        return state
    }

    static func activity() throws -> AppState {
        var state = try sessions()
        let name = try Sample.name("work/ada@example.org")
        let kinds: [Activity.Kind] = [.signedIn, .issued, .renewed, .renewalFailed]
        for (index, kind) in kinds.enumerated() {
            let at = Sample.now - .seconds(Int64(400 - index * 100))
            _ = state.take(.serviceReported(.activity(Activity(at: at, kind: kind, session: name, message: .verbatim("by git")))))
        }
        _ = state.press(.character("a"))
        return state
    }

    /// The list of services to add.
    static func choosingService(
        _ size: Size = Size(columns: 80, rows: 24), presets: ServiceChoices = Sample.presets
    ) -> AppState {
        var state = loaded(presets: presets, size: size)
        _ = state.press(.character("n"))
        return state
    }

    /// The form that adds a provider by its address.
    static func addingProvider(_ size: Size = Size(columns: 80, rows: 24)) -> AppState {
        var state = choosingService(size)
        _ = state.press(.enter)
        return state
    }

    /// The form, filled in and submitted.
    static func askedProvider(address: String = "id.example.org", client: String? = "yett") -> AppState {
        var state = addingProvider()
        state.type(address)
        if let client {
            _ = state.press(.tab)
            state.type(client)
        }
        _ = state.press(.enter)
        return state
    }

    /// The provider's details, before the user confirms them.
    static func foundProvider() throws -> AppState {
        var state = askedProvider()
        let draft = ProviderDraft(address: "id.example.org", client: .identifier("yett"))
        _ = state.take(.providerFound(RunID(number: 1), .success(try Sample.finding(draft))))
        return state
    }

    /// The authorization servers of a resource.
    static func foundServers() throws -> AppState {
        var state = askedProvider(address: "https://mcp.example/mcp")
        let draft = ProviderDraft(address: "https://mcp.example/mcp", client: .identifier("yett"))
        _ = state.take(.providerFound(RunID(number: 1), .success(try Sample.finding(draft))))
        return state
    }

    /// Returns the state after some keys.
    static func pressed(_ state: AppState, _ keys: Key...) -> AppState {
        var state = state
        for key in keys { _ = state.press(key) }
        return state
    }

    static func question() throws -> TokenConsentRequest {
        TokenConsentRequest(
            id: TokenConsentRequest.ID("x-1"), session: try #require(SessionName("work/ada@example.org")), wanted: .access,
            program: "/usr/bin/git", process: 4711, deadline: Sample.now + .seconds(30))
    }

    /// A program asks for a token while the list of sessions is open.
    static func asked() throws -> AppState {
        var state = try sessions()
        _ = state.take(.serviceReported(.asked(try question())))
        for second in 1...2 { _ = state.take(.ticked(Sample.now + .seconds(Int64(second)))) }
        return state
    }

    /// Every screen, with a name for the report and the file in `Golden`.
    static func everyScreen() throws -> [(name: String, state: AppState)] {
        let states = try listedScreens()
        return states + (try examples(besides: states.map(\.state)))
    }

    /// The examples of the registered screens that none of the states shows.
    private static func examples(besides states: [AppState]) throws -> [(name: String, state: AppState)] {
        let shown = Set(states.map { ObjectIdentifier(type(of: $0.current.screen)) })
        let base = try sessions()
        let session = try Sample.name("work/ada@example.org")
        return ScreenRegistry.screens.filter { !shown.contains(ObjectIdentifier($0)) }.flatMap { type in
            type.examples(of: session, in: base.model).enumerated().map { index, screen in
                var state = base
                state.opened.append(OpenScreen(screen))
                return (name: index == 0 ? type.name : "\(type.name), \(index + 1)", state: state)
            }
        }
    }

    private static func listedScreens() throws -> [(name: String, state: AppState)] {
        [
            ("loading", AppState(TerminalAppSettings(themes: Sample.themes, theme: ""), now: Sample.now)),
            ("nothing configured", loaded()),
            ("front door", try firstRun()),
            ("guest", loaded(providers: [try Sample.provider("work")], sessions: [try Sample.session("work/guest", .guest, left: nil)])),
            ("picker", pressed(try firstRun(), .character("s"))),
            ("picker, nothing fits", pressed(try firstRun(), .character("s"), .character("z"))),
            ("choose a service", choosingService()),
            ("add a provider", addingProvider()),
            ("add a service", pressed(choosingService(), .down, .down, .enter)),
            ("asking a provider", askedProvider()),
            ("confirm a provider", try foundProvider()),
            ("choose a server", try foundServers()),
            ("signing in", try signingIn()),
            ("signing in, over SSH", try signInMethods()),
            ("signing in, no answer", try unansweredSignIn()),
            ("QR code", pressed(try signInMethods(), .character("v"))),
            ("another account", try otherAccount()),
            ("paste", pressed(try signingIn(), .character("p"))),
            ("form", pressed(try askedForm(), .enter)),
            ("form, unanswered", pressed(try askedForm(), .enter, .enter)),
            ("form, choice", try askedForm(Sample.choiceForm)),
            ("next step", try accountRequested()),
            ("welcome", try welcome()),
            ("problem", try problem()),
            ("sessions", try sessions()),
            ("sessions and what happened", pressed(try activity(), .escape)),
            ("sessions, filtered", pressed(try sessions(), .character("/"), .character("a"))),
            ("session", try session()),
            ("session with bridges", try bridged()),
            ("inspector", try inspector()),
            ("inspector, a refresh token", pressed(try inspector(), .backTab)),
            ("inspector, an opaque token", try opaqueToken()),
            ("inspector, after a renewal", pressed(try renewedToken(), .down, .down, .down)),
            ("about to be forgotten", pressed(try session(), .character("x"), .character("y"))),
            ("sign out", pressed(try session(), .character("o"))),
            ("signing out", pressed(try session(), .character("o"), .enter)),
            ("receipt", try receipt()),
            ("receipt with a page", try receipt(browser: true)),
            ("sign out everywhere", pressed(try sessions(), .character("O"))),
            ("signing out everywhere", try signingOutEverywhere(1)),
            ("signed out everywhere", try signingOutEverywhere(4)),
            ("forget", pressed(try session(), .character("x"))),
            ("activity", try activity()),
            ("activity, filtered", pressed(try activity(), .character("/"), .character("n"), .character("e"), .character("w"))),
            ("activity by program", try programs()),
            ("activity by program, by time", pressed(try programs(), .character("p"))),
            ("activity of one program", pressed(try programs(), .down, .down, .enter)),
            ("no activity", pressed(try sessions(), .character("a"))),
            ("unlock", loaded(seal: .locked(isNew: false))),
            ("new passphrase", loaded(seal: .locked(isNew: true))),
            ("question", try asked()),
            ("palette", pressed(try sessions(), .character(":"))),
            ("themes", pressed(try sessions(), .character("t"), .down)),
            ("timeline", pressed(try sessions(), .character("T"))),
            ("settings", pressed(try sessions(), .character(","))),
            ("settings, a choice", pressed(try sessions(), .character(","), .down, .down, .down, .down, .enter, .down)),
            ("settings, a theme", pressed(try sessions(), .character(","), .enter, .down)),
            ("settings, a field", pressed(try sessions(), .character(","), .down, .down, .down, .down, .down, .enter)),
            ("help", pressed(try sessions(), .character("?"))),
        ]
    }
}

extension AppState {
    /// Presses a key, and returns the commands.
    mutating func press(_ key: Key) -> [Command] { dispatch(key) }

    /// Passes on what happened, and returns the commands.
    mutating func take(_ message: Message) -> [Command] { dispatch(message) }

    /// Types text, one key for each character.
    mutating func type(_ text: String) { for character in text { _ = press(.character(character)) } }

    /// Renders the state.
    func picture(_ size: Size? = nil, theme: Theme = .uncoloured, glyphs: GlyphSet = .unicode) -> ScreenBuffer {
        var state = self
        let size = size ?? model.size
        _ = state.take(.resized(size))
        var buffer = ScreenBuffer(size: size, glyphs: glyphs)
        TerminalAppRoot.render(state, theme: theme, into: &buffer)
        return buffer
    }
}

extension SealReport {
    static let unlocked = SealReport(state: .unlocked, needsPassphrase: true)

    static func locked(isNew: Bool) -> SealReport { SealReport(state: .locked(isNew: isNew), needsPassphrase: true) }
}
