import AuthModel
import Localization
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// The signing-in screen does not jump: every part has its place from the first frame.
@Suite struct SigningInLayoutTests {
    private static let sizes = [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)]

    /// What is drawn from the first frame on is in the same place after each event.
    @Test(arguments: sizes)
    func nothingMovesWhileTheSignInGoesOn(size: Size) throws {
        var state = Given.loaded(providers: [try Sample.provider("work")], size: size)
        _ = state.press(.enter)
        let run = RunID(number: 1)
        _ = state.take(.signInBegan(run))
        let fixed =
            SignInStep.standard.map { $0.title.text() } + [SigningInWords.signInAt, SigningInWords.callbackURL, SigningInWords.address]
        func places() -> [Rect?] { fixed.map { state.picture().find($0) } }
        let first = places()
        #expect(first.allSatisfy { $0 != nil })
        let device = DeviceCodePrompt(
            userCode: "WDJB-MJHT", page: try Sample.url("https://id.example.org/device"), qrCode: Sample.qrCode)
        let events: [SignInEvent] = [
            .deadline(Sample.now + .seconds(300)), .began(.discover), .completed(.discover),
            .hosts(authorization: "id.example.org", token: "token.example.org"), .began(.open),
            .available(.browser(url: try Sample.url(), redirect: "http://127.0.0.1:1/callback")), .completed(.open), .began(.wait),
            .available(.device(device)), .available(.sshForward(command: "ssh -L 1:127.0.0.1:1 host")), .available(.paste),
            .ignoredCallback(reason: "callback.other_sign_in"),
        ]
        for event in events {
            _ = state.take(.signInReported(run, event, at: Sample.now))
            #expect(places() == first, "\(event)")
        }
        _ = state.take(.browserAnswered(try Sample.url(), .noBrowser))
        #expect(places() == first)
    }

    /// The reason stands beside its step, and where the steps have two columns, directly below them.
    @Test(arguments: sizes)
    func reasonOfAFailureIsAtItsStep(size: Size) throws {
        var state = try Given.signingIn()
        _ = state.take(.browserAnswered(try Sample.url(), .failed(reason: "xdg-open ended at once with status 3")))
        let (picture, title) = (state.picture(size), SignInStep.open.title.text())
        guard size.columns < 100 else {
            let step = try #require(picture.find("✗ \(title)  xdg-open ended at once with status 3"))
            #expect(try #require(picture.find(SignInStep.wait.title.text())).top == step.top + 1)
            return
        }
        let last = try #require(picture.find(SignInStep.wait.title.text()))
        #expect(picture.find(SigningInWords.browserFailed("xdg-open ended at once with status 3"))?.top == last.top + 1)
    }

    /// On a low terminal only the current step keeps its place. What still works without a browser is directly below it.
    @Test func lowTerminalShowsTheDeviceCodeFirst() throws {
        var state = try Given.signInMethods()
        _ = state.take(.resized(Size(columns: 60, rows: 20)))
        _ = state.take(.browserAnswered(try Sample.url(), .failed(reason: "xdg-open ended at once with status 3")))
        func row(_ text: String) throws -> Int { try #require(state.picture().find(text)).top }
        let step = try row(SignInStep.wait.title.text())
        let code = try row("WDJB-MJHT")
        #expect(code > step && code < step + 7)
        #expect(!state.picture().text.contains(SignInStep.discover.title.text()))
        #expect(state.picture().text.split(separator: "\n").last?.contains("v view QR code") == true)
        _ = state.press(.end)
        #expect(try row(SignInStep.wait.title.text()) == step)
        #expect(state.picture().text.contains(SignInStep.discover.title.text()))
    }

    /// If no browser opened the URL, the user needs all of it: it stands where the gate would be.
    @Test(arguments: sizes) func wholeURLIsShownIfNoBrowserOpened(size: Size) throws {
        var state = try Given.signingIn()
        let url = try Sample.url().text
        func linked() -> String {
            let picture = state.picture(size)
            return (0..<size.rows).flatMap { picture.row($0) }.filter { $0.link?.text == url }.map(\.text).joined()
        }
        #expect(!linked().contains(url))
        _ = state.take(.browserAnswered(try Sample.url(), .noBrowser))
        #expect(linked().contains(url) == (size.columns >= 100))
        // Once: where all of it is shown, there is no short form.
        #expect(state.picture(size).text.contains("https://id.example.org/authori"))
        #expect(state.picture(size).text.contains(SigningInWords.inFullBelow) == (size.columns >= 100))
        #expect(state.picture(size).text.split(separator: "\n").last?.contains("w whole URL") == true)
    }

    /// The device code stands beside the steps, once in words and once in large letters; below the steps is what is asked for.
    @Test func deviceCodeIsNotBelowTheSteps() throws {
        let picture = try Given.signInMethods().picture(Size(columns: 200, rows: 60))
        let letters = try #require(LargeLetters.lines("WDJB-MJHT", columns: 80)?.compactMap { picture.find($0) })
        let steps = try #require(picture.find("Wait for you to sign in"))
        let code = try #require(picture.find("type the code WDJB-MJHT"))
        #expect(code.left > steps.right)
        #expect(letters.count == 3 && letters.allSatisfy { $0.left > steps.right }, "\(picture.text)")
        #expect(picture.text.ranges(of: "WDJB-MJHT").count == 1)
        let request = try #require(picture.find("What the provider is asked to allow:"))
        #expect(request.left == steps.left - 2 && request.top > steps.top)
        #expect(picture.qrArea?.columns == 2 * Sample.qrCode[0].count, "the largest QR code has priority")
    }

    /// No row is lost between the boxes and the line above the footer, unless something must be copied without a box around it.
    @Test func boxesUseAllRows() throws {
        let size = Size(columns: 120, rows: 40)
        func bottom(_ state: AppState) -> Int? {
            let picture = state.picture(size)
            return (0..<size.rows).last { picture.row($0).first?.text == "╰" }
        }
        #expect(bottom(try Given.signingIn()) == Frame.body(size).bottom - 1)
        #expect(bottom(try Given.signInMethods()) == Frame.body(size).bottom - 3)
    }

    @Test(arguments: sizes + [Size(columns: 40, rows: 10), Size(columns: 20, rows: 8)])
    func footerAlwaysHasTheWayOut(size: Size) throws {
        let footer = try Given.signInMethods().picture(size).text.split(separator: "\n").last
        #expect(footer?.contains("Esc " + CommonWords.keyCancel) == true)
    }

    /// The QR code is whole or not there at all, and has its caption.
    @Test(arguments: 16...44)
    func qrCodeIsWholeOrNotShown(rows: Int) throws {
        for columns in [60, 80, 99, 100, 140] {
            let picture = try Given.signInMethods().picture(Size(columns: columns, rows: rows))
            guard picture.find("█") != nil, let area = picture.qrArea else { continue }
            let scale = area.columns / Sample.qrCode[0].count
            let isTrimmed = area.size == Size(columns: 33, rows: 17)
            #expect(isTrimmed || area.size == Size(columns: 37 * scale, rows: (38 * scale + 1) / 2), "\(columns)")
            #expect(picture.text.contains("Scan it with your phone"), "\(columns)")
        }
    }

    @Test func addressIsOneLineUntilItIsAskedFor() throws {
        var state = try Given.signingIn()
        #expect(state.picture().text.contains("https://id.example.org/authori…"))
        _ = state.press(.character("w"))
        #expect(state.picture().text.split(separator: "\n").joined().contains(Sample.authorization))
        #expect(state.press(.character("c")) == [.copyText(Sample.authorization)])
        _ = state.press(.escape)
        #expect(state.picture().text.contains("https://id.example.org/authori…"))
    }

    @Test func spinnerTurnsOnlyWithFullMotion() throws {
        var state = try Given.signingIn()
        for (motion, tick) in [(Motion.full, AppState.frameTime), (.reduced, .seconds(1)), (.off, .seconds(1))] {
            state.model.motion = motion
            #expect(TerminalAppRoot.nextTick(in: state) == tick)
            func spinner(_ after: Duration) -> String {
                var later = state
                _ = later.take(.ticked(state.model.now + after))
                return later.picture().text.split(separator: "\n").first { $0.contains("Wait for you") }.map { String($0.prefix(4)) } ?? ""
            }
            #expect((spinner(.zero) != spinner(.milliseconds(250))) == (motion == .full))
        }
    }
}

/// How a sign-in ends.
@Suite struct SignInEndTests {
    /// A sign-in that fails shows the step at which it failed.
    @Test func failureIsShownAtItsStep() throws {
        var state = Given.loaded(providers: [try Sample.provider("work")])
        _ = state.press(.enter)
        let run = RunID(number: 1)
        _ = state.take(.signInBegan(run))
        _ = state.take(.signInReported(run, .began(.discover), at: Sample.now))
        let failure = AuthFailure(.unavailable(retryAfter: nil), text: "the provider does not answer")
        _ = state.take(.signInReported(run, .finished(.failure(failure)), at: Sample.now))
        #expect(state.picture().text.contains("✗ \(SignInStep.discover.title.text())"))
    }

    /// The gate lifts in less than half a second, and the app then returns to the ticks of the countdown.
    @Test func gateLiftsAfterASignIn() throws {
        var state = try Given.welcome()
        state.model.motion = .full
        func bars() -> Int { state.picture().text.split(separator: "\n").count { $0.contains("╂") || $0.contains("┃  │") } }
        #expect(bars() == 5)
        #expect(TerminalAppRoot.nextTick(in: state) == AppState.frameTime)
        var last = bars()
        for milliseconds in [125, 250, 375] {
            var later = state
            _ = later.take(.ticked(state.model.now + .milliseconds(milliseconds)))
            let now = later.picture().text.split(separator: "\n").count { $0.contains("╂") || $0.contains("┃  │") }
            #expect(now < last)
            last = now
        }
        _ = state.take(.ticked(state.model.now + .milliseconds(400)))
        #expect(bars() == 0)
        #expect(TerminalAppRoot.nextTick(in: state) == .seconds(1))
    }

    @Test func newSessionIsSelectedInTheList() throws {
        let sessions = try Sample.sessions()
        var state = Given.loaded(providers: [try Sample.provider("work")], sessions: sessions)
        state.model.motion = .full
        _ = state.apply(.open(.welcome(sessions[2])), of: nil)
        _ = state.press(.enter)
        #expect(state.current.as(SessionsScreen.self)?.selectedName == sessions[2].name)
        #expect(state.model.flashes[sessions[2].name] != nil)
    }

    /// The demo begins with the sandbox, and its password stays in sight while the user signs in.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 40, rows: 10)])
    func demoBeginsWithTheSandbox(size: Size) throws {
        var state = AppState(Sample.settings, now: Sample.now)
        state.model.demoAdvice = "demo: sign in as ada, password: engine"
        _ = state.take(.resized(size))
        let providers = try ["lab", "sandbox", "zoo"].map { try Sample.provider($0) }
        _ = state.take(.loaded(.unlocked, providers: providers, sessions: [], at: Sample.now))
        _ = state.press(.enter)
        #expect(state.current.as(SigningInScreen.self)?.request.provider.text == "sandbox")
        #expect(state.picture().text.contains("Demo: sign in as ada, password"))
    }

    /// The one thing that a demo user must type is never cut.
    @Test(arguments: [Size(columns: 60, rows: 20), Size(columns: 60, rows: 30)])
    func demoPasswordIsWholeOnANarrowTerminal(size: Size) throws {
        var state = try Given.signInMethods()
        state.model.demoAdvice = "demo: sign in as the user ada with the password correct horse battery staple"
        _ = state.take(.resized(size))
        let words = state.picture().text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("correct horse battery staple"), "\(words)")
        let short = UserMessage("demo.credentials", ["user": "ada", "password": "correct horse battery staple"])
        for language in Language.allCases { #expect(short.text(in: language).count <= 56, "\(language)") }
    }
}
