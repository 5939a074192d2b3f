import AuthModel
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

struct SignInMethodTests {
    private func signingIn(_ state: AppState) throws -> SigningInScreen {
        var found: SigningInScreen?
        if let screen = state.current.as(SigningInScreen.self) { found = screen }
        return try #require(found)
    }

    @Test func qrCodeIsDrawnOnlyWhereItFits() throws {
        for size in [Size(columns: 120, rows: 40), Size(columns: 200, rows: 60), Size(columns: 100, rows: 50)] {
            #expect(try Given.signInMethods().picture(size).qrArea != nil, "\(size)")
        }
        #expect(try Given.signInMethods().picture().qrArea == nil)
    }

    /// The code has its whole light zone of four modules, in the largest size of whole modules.
    @Test(arguments: [(80, 24, 1), (120, 40, 1), (120, 48, 1), (200, 60, 3), (64, 80, 1)])
    func qrCodeFillsTheScreen(columns: Int, rows: Int, scale: Int) throws {
        let state = Given.pressed(try Given.signInMethods(), .character("v"))
        let picture = state.picture(Size(columns: columns, rows: rows))
        let area = try #require(picture.qrArea)
        #expect(area.size == Size(columns: 37 * scale, rows: 19 * scale))
        let zone = String(repeating: "█", count: 37 * scale)
        let lines = picture.text.split(separator: "\n").filter { $0.contains(zone) }
        // Two lines above and below for each of the columns of a module, and below, what is left of the last line.
        #expect(lines.count == 4 * scale + (scale > 1 ? 1 : 0))
        #expect(picture.text.contains("WDJB-MJHT"))
        #expect(picture.find("▄▀") != nil || picture.find("▀") != nil, "large letters")
    }

    /// A low terminal has the whole code with half of its light zone, and the code to type at its right.
    @Test func qrCodeIsWholeOnALowTerminal() throws {
        var state = Given.pressed(try Given.signInMethods(), .character("v"))
        _ = state.take(.resized(Size(columns: 60, rows: 20)))
        let picture = state.picture()
        let area = try #require(picture.qrArea)
        #expect(area.size == Size(columns: 33, rows: 17))
        #expect(try #require(picture.find("WDJB-MJHT")).left > area.right)
        #expect(picture.text.contains("id.example.org"))
    }

    /// A part of a code cannot be scanned: the page and the code to type are shown instead.
    @Test(arguments: [Size(columns: 40, rows: 10), Size(columns: 60, rows: 19), Size(columns: 50, rows: 18)])
    func qrCodeIsNeverCut(size: Size) throws {
        var state = Given.pressed(try Given.signInMethods(), .character("v"))
        _ = state.take(.resized(size))
        let picture = state.picture()
        #expect(picture.qrArea == nil)
        #expect(picture.text.contains("Too small for a QR code") && picture.text.contains("WDJB-MJHT"), "\(picture.text)")
    }

    /// The large letters stand beside the QR code, in two parts where the code is too wide for one row.
    @Test func codeStandsInLargeLettersWhereverTheyFit() throws {
        let whole = try #require(LargeLetters.lines("WDJB-MJHT", columns: 51))
        let page = try Given.signInMethods().picture(Size(columns: 120, rows: 40))
        #expect(page.qrArea?.columns == 37 && whole.allSatisfy { page.find($0) != nil }, "\(page.text)")
        let groups = try #require(LargeLetters.groups("WDJB-MJHT", columns: 34))
        #expect(groups.map(\.count) == [3, 3])
        let code = Given.pressed(try Given.signInMethods(), .character("v")).picture(Size(columns: 80, rows: 24))
        #expect(groups.joined().allSatisfy { code.find($0) != nil }, "\(code.text)")
        #expect(LargeLetters.groups("WDJBMJHT", columns: 34) == nil)
        #expect(LargeLetters.groups("WDJB--MJHT", columns: 34) == nil)
    }

    @Test func codeStandsInLargeLetters() throws {
        let lines = try #require(LargeLetters.lines("WDJB-MJHT", columns: 52))
        #expect(lines.count == 3 && lines.allSatisfy { $0.count == 51 })
        #expect(LargeLetters.lines("WDJB-MJHT", columns: 50) == nil)
        #expect(LargeLetters.lines("ABC\u{1B}", columns: 80) == nil)
        #expect(try #require(LargeLetters.lines("l0", columns: 20)) == ["█     ▄▀▀█▄", "█     █ █ █", "█▄▄▄▄ ▀█▄▄▀"])
        let picture = try Given.signInMethods().picture(Size(columns: 200, rows: 60))
        for line in lines { #expect(picture.find(line) != nil) }
    }

    /// Too little space for the light zone leaves half of it; too little for that leaves the code out.
    @Test func qrCodeWithoutSpaceIsLeftOut() throws {
        let picture = try #require(QRPicture(Sample.qrCode))
        #expect(picture.lines(in: Size(columns: 37, rows: 19)) == Sample.qrCode)
        #expect(picture.lines(in: Size(columns: 36, rows: 18))?.map(\.count) == Array(repeating: 33, count: 17))
        #expect(picture.lines(in: Size(columns: 32, rows: 40)) == nil)
        #expect(picture.lines(in: Size(columns: 74, rows: 38))?.count == 38)
        #expect(QRPicture([]) == nil)
        #expect(QRPicture(["█x"]) == nil)
    }

    @Test func qrCodeCanFillTheScreen() throws {
        var state = Given.pressed(try Given.signInMethods(), .character("v"))
        let text = state.picture().text
        #expect(state.picture().qrArea != nil)
        #expect(text.contains("WDJB-MJHT") && text.contains("id.example.org"))
        // Three times as large where there is space.
        #expect(state.picture().qrArea?.columns == 37 && state.picture(Size(columns: 200, rows: 60)).qrArea?.columns == 111)
        _ = state.press(.escape)
        #expect(try !signingIn(state).showsCode)
    }

    @Test(arguments: ShippedThemes.coloured.map { $0.name }, [ColorDepth.trueColor, .indexed256])
    func qrCodeIsBlackOnWhiteInEveryTheme(name: String, depth: ColorDepth) throws {
        var state = try Given.signInMethods()
        state.model.size = Size(columns: 100, rows: 50)
        let picture = state.picture()
        let code = try #require(picture.qrArea)
        let face = try ShippedThemes.theme(name).face(for: try #require(picture.style(at: code.origin)), depth: depth)
        #expect(try #require(face.contrast) == 21)
    }

    /// A provider that no longer answers turns its step red with the reason, and another attempt is one key away.
    @Test func providerThatNoLongerAnswersShowsAFailedStep() throws {
        var state = try Given.unansweredSignIn()
        let text = state.picture().text
        #expect(text.contains("✗ Discover the provider") && text.contains("id.example.org does not answer"))
        #expect(text.contains("r try again"))
        let commands = state.press(.character("r"))
        #expect(commands == [.cancelSignIn(RunID(number: 1)), .beginSignIn(try signingIn(state).request, RunID(number: 2))])
        #expect(!state.picture().text.contains("✗"), "the new attempt has no failure")
    }

    @Test func errorWithoutStateShowsAFailedStep() throws {
        var state = try Given.signingIn()
        let run = RunID(number: 1)
        _ = state.take(.signInReported(run, .ignoredCallback(reason: UserMessage("phrase.callback_no_state")), at: Sample.now))
        #expect(!state.picture().text.contains("r try again"))
        _ = state.take(.signInReported(run, .ignoredCallback(reason: UserMessage("phrase.callback_error_no_state")), at: Sample.now))
        #expect(state.picture().text.contains("✗ Wait for you to sign in") && state.picture().text.contains("r try again"))
        // The attempt continues: the provider's own response still counts.
        _ = state.take(.signInReported(run, .completed(.wait), at: Sample.now))
        #expect(state.picture().text.contains("✓ Wait for you to sign in"))
    }

    @Test func deviceCodeCanBeRequestedWhereItIsOffered() throws {
        let run = RunID(number: 1)
        var state = try Given.signingIn()
        #expect(!state.picture().text.contains("d device code"))
        #expect(state.press(.character("d")) == [])
        #expect(state.notice?.text == SigningInWords.noDeviceCode)

        _ = state.take(.signInReported(run, .deviceCodeOffered, at: Sample.now))
        _ = state.press(.character("?"))
        #expect(state.picture().text.contains(SigningInWords.helpDeviceCode))
        _ = state.press(.escape)
        #expect(state.picture().text.contains("c copy URL  d device code  w whole URL"))
        #expect(state.press(.character("d")) == [.requestDeviceCode(run)])
        #expect(state.press(.character("d")) == [], "one at a time")
        #expect(state.notice?.text == SigningInWords.deviceCodeIsComing)

        let device = DeviceCodePrompt(userCode: "WDJB-MJHT", page: try Sample.url("https://id.example.org/device"))
        _ = state.take(.signInReported(run, .available(.device(device)), at: Sample.now))
        _ = state.take(.deviceCodeAnswered(run, nil))
        #expect(try signingIn(state).device == device)
        #expect(state.picture().text.contains("type the code WDJB-MJHT"))
        #expect(!state.picture().text.contains("d device code"))
    }

    /// On a desktop the browser comes first, and the device code is an alternative.
    @Test func browserComesFirstIfItOpened() throws {
        let run = RunID(number: 1)
        var state = try Given.signingIn()
        let device = DeviceCodePrompt(userCode: "WDJB-MJHT", page: try Sample.url("https://id.example.org/device"))
        _ = state.take(.signInReported(run, .available(.device(device)), at: Sample.now))
        let text = state.picture().text
        #expect(text.contains(SigningInWords.signInThere))
        #expect(text.contains("type the code WDJB-MJHT"))
        #expect(text.contains("press p to paste"))

        _ = state.take(.browserAnswered(try Sample.url(), .failed(reason: "it crashed")))
        let failed = state.picture().text
        #expect(failed.contains(SigningInWords.anyMethod))
        #expect(failed.contains(SigningInWords.browserFailed("it crashed")))
    }

    @Test func refusedDeviceCodeIsShownAmongTheSteps() throws {
        var state = try Given.signingIn()
        _ = state.take(.signInReported(RunID(number: 1), .deviceCodeRefused(reason: "this client may not"), at: Sample.now))
        #expect(state.picture().text.contains("Device codes are not available here: this client may not."))
        #expect(state.picture().text.contains(SigningInWords.signInThere))
        #expect(state.press(.character("d")) == [])
    }

    @Test func failedDeviceCodeRequestIsExplainedAndCanBeRepeated() throws {
        let run = RunID(number: 1)
        var state = try Given.signingIn()
        _ = state.take(.signInReported(run, .deviceCodeOffered, at: Sample.now))
        _ = state.press(.character("d"))
        _ = state.take(.deviceCodeAnswered(run, AuthFailure(.denied(code: "unauthorized_client"), text: "this client may not")))
        #expect(state.notice?.text.contains("this client may not") == true)
        #expect(state.press(.character("d")) == [.requestDeviceCode(run)])
    }

    @Test func expiredCodeIsHiddenAndANewOneCanBeRequested() throws {
        var state = Given.pressed(try Given.signInMethods(), .character("v"))
        _ = state.take(.signInReported(RunID(number: 1), .deviceCodeOffered, at: Sample.now))
        #expect(!state.picture().text.contains("WDJB-MJHT"))
        #expect(state.press(.character("d")) == [.requestDeviceCode(RunID(number: 1))])
    }

    @Test func deviceCodeIsNeverOpenedOrCopied() throws {
        let device = DeviceCodePrompt(
            userCode: "WDJB-MJHT", page: try Sample.url("https://id.example.org/device"),
            completePage: try Sample.url("https://id.example.org/device?user_code=WDJB-MJHT"))
        var state = Given.loaded(providers: [try Sample.provider("work")])
        _ = state.press(.enter)
        _ = state.take(.signInBegan(RunID(number: 1)))
        let commands = state.take(.signInReported(RunID(number: 1), .available(.device(device)), at: Sample.now))
        #expect(commands == [])
        #expect(state.press(.character("b")) == [])
        #expect(state.notice?.text == SigningInWords.codeWorksOnAnyDevice)
        #expect(state.press(.character("c")) == [.copyText("https://id.example.org/device")])
    }
}
