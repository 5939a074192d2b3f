import AuthModel
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// The gate that comes down when the store is locked, and what follows the terminal's own reports.
@Suite struct GateTests {
    /// - Parameter size: large enough for bars beside the card.
    private static func locked(motion: Motion = .full, size: Size = Size(columns: 120, rows: 40)) throws -> AppState {
        var state = try Given.sessions()
        _ = state.take(.resized(size))
        state.model.motion = motion
        _ = state.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        return state
    }

    /// The card says that the store is locked, so the line above the footer does not, in either order of the reports.
    @Test(arguments: [false, true]) func lockIsReportedOnce(isReversed: Bool) throws {
        var state = try Given.sessions()
        let reports: [Message] = [.lockEnded(nil), .serviceReported(.storeStateChanged(.locked(isNew: false)))]
        for report in isReversed ? reports.reversed() : reports { _ = state.take(report) }
        #expect(state.current.screen is LockedScreen && state.notice == nil)
    }

    /// One key for one thing: the card's own is enough.
    @Test func footerNamesTheKeyThatUnlocksOnce() throws {
        func footer(_ state: AppState) -> String { state.picture().text.split(separator: "\n").last.map(String.init) ?? "" }
        var state = try Self.locked()
        #expect(footer(state).components(separatedBy: CommonWords.keyUnlock).count == 2, "\(footer(state))")
        // Behind the card, the key of every screen is the one.
        _ = state.press(.escape)
        #expect(footer(state).contains("L \(CommonWords.keyUnlock)"))
    }

    /// Behind the card, the graph does not promise what a locked store cannot do.
    @Test func graphSaysThatNothingRenewsWhileLocked() throws {
        var state = try Self.locked(motion: .off)
        _ = state.press(.escape)
        let text = state.picture().text
        #expect(text.contains(SessionsGraphWords.noRenewals), "\(text)")
        #expect(!text.contains(" renew "))
    }

    private static func bars(_ state: AppState) -> Int { state.picture().text.count { $0 == "┃" || $0 == "╂" } }

    @Test func gateComesDownAndTheListIsDimmed() throws {
        var state = try Self.locked()
        #expect(state.current.screen is LockedScreen)
        #expect(TerminalAppRoot.nextTick(in: state) == AppState.frameTime)
        var last = Self.bars(state)
        for milliseconds in [125, 250, 375] {
            _ = state.take(.ticked(Sample.now + .milliseconds(Int64(milliseconds))))
            #expect(Self.bars(state) > last)
            last = Self.bars(state)
            #expect(state.picture().style(at: Point(column: 1, row: 34))?.attributes.contains(.dim) == true, "below the gate")
        }
        _ = state.take(.ticked(Sample.now + .seconds(1)))
        #expect(TerminalAppRoot.nextTick(in: state).map { $0 > .seconds(1) } == true, "the animation is over")
    }

    /// A lock is also for eyes that pass by: no name is left on the screen, in the path, or between the bars.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 200, rows: 60), Size(columns: 50, rows: 12)])
    func nothingIsLeftToReadBehindTheGate(size: Size) throws {
        var screens = [Given.pressed(try Given.sessions(), .down), Given.pressed(try Given.sessions(), .down, .right)]
        for index in screens.indices {
            _ = screens[index].take(.resized(size))
            _ = screens[index].take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
            for key in [nil, Key.enter] {
                if let key { _ = screens[index].press(key) }
                for glyphs in [GlyphSet.unicode, .ascii] {
                    let text = screens[index].picture(size, glyphs: glyphs).text
                    for name in ["marie", "grace", "ada", "work"] { #expect(!text.contains(name), "\(name)") }
                }
            }
        }
    }

    /// The bars keep a distance from the card, and have the same margin at both sides.
    @Test(arguments: [80, 100, 120, 200])
    func gateIsEvenAndLeavesTheCardFree(columns: Int) throws {
        let size = Size(columns: columns, rows: 40)
        var state = try Self.locked(motion: .off)
        _ = state.take(.resized(size))
        let picture = state.picture(size)
        func sign(_ column: Int, _ row: Int) -> String { picture.cell(at: Point(column: column, row: row))?.text ?? "" }
        let bars = (0..<columns).filter { "│┃┼╂".contains(sign($0, 3)) }
        #expect((0...1).contains(columns - 1 - (try #require(bars.last)) - (try #require(bars.first))))
        let card = try #require(picture.find("╭─ \(LockWords.title)"))
        for column in card.left - 2..<card.left { #expect(sign(column, card.top) == " ") }
        for column in card.left - 2..<card.right { #expect(sign(column, card.top - 1) == " ") }
    }

    @Test(arguments: [Motion.reduced, .off])
    func gateIsDownAtOnceWhereNothingMoves(motion: Motion) throws {
        var state = try Self.locked(motion: motion)
        let bars = Self.bars(state)
        #expect(bars > 0)
        #expect(TerminalAppRoot.nextTick(in: state).map { $0 > .seconds(1) } == true)
        _ = state.take(.serviceReported(.storeStateChanged(.unlocked)))
        #expect(state.opened.isEmpty && Self.bars(state) == 0)
    }

    @Test func gateLiftsWhenTheStoreIsUnlocked() throws {
        var state = try Self.locked()
        _ = state.take(.ticked(Sample.now + .seconds(1)))
        let whole = Self.bars(state)
        #expect(state.press(.enter) == [], "the passphrase is asked for in the same place")
        #expect(state.current.screen is UnlockScreen && Self.bars(state) > 0)
        state.type("secret")
        _ = state.press(.enter)
        _ = state.take(.unlockEnded(nil))
        _ = state.take(.serviceReported(.storeStateChanged(.unlocked)))
        #expect(state.opened.isEmpty)
        _ = state.take(.ticked(Sample.now + .milliseconds(1250)))
        #expect((1..<whole).contains(Self.bars(state)))
        _ = state.press(.down)
        #expect(state.current.as(SessionsScreen.self)?.selected == 1, "keys work while the gate lifts")
        _ = state.take(.ticked(Sample.now + .seconds(2)))
        #expect(Self.bars(state) == 0 && state.unlockedAt == nil)
    }

    /// What the user types never lands in another place because the store was locked meanwhile.
    @Test func gateDoesNotInterruptTyping() throws {
        var state = Given.pressed(try Given.sessions(), .character("/"))
        _ = state.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        #expect(state.opened.isEmpty)
        var signingIn = try Given.signingIn()
        _ = signingIn.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        #expect(signingIn.current.screen is SigningInScreen)
    }

    @Test func storeWithoutAPassphraseIsUnlockedByEnter() throws {
        var state = try Self.locked()
        state.model.seal.needsPassphrase = false
        #expect(state.press(.enter) == [.unlock(Secret(""))])
        _ = state.press(.escape)
        #expect(state.opened.isEmpty && state.model.isLocked)
    }

    /// A security key has its own PIN or none, so an empty field is an answer, and a new store asks once.
    @Test func securityKeyIsAskedForWithItsPIN() throws {
        for seal in [StoreState.locked(isNew: false), .locked(isNew: true)] {
            let report = SealReport(state: seal, needsPassphrase: true, seal: .securityKey)
            var state = Given.loaded()
            _ = state.take(.loaded(report, providers: [], sessions: [], at: Sample.now))
            if !(state.current.screen is UnlockScreen) { _ = state.press(.character("L")) }
            #expect(state.current.screen is UnlockScreen)
            let text = state.picture().text
            #expect(text.contains("A security key unlocks your sessions.") && text.contains("PIN") && !text.contains("Repeat"))
            #expect(state.press(.enter) == [.unlock(Secret(""), isPIN: true)])
            #expect(state.picture().text.contains("Touch your security key each time it blinks."))
            _ = state.take(.unlockEnded(AuthFailure(.configuration, text: "wrong PIN", hint: "try again")))
            state.type("123456")
            #expect(state.press(.enter) == [.unlock(Secret("123456"), isPIN: true)])
            _ = state.take(.serviceReported(.storeStateChanged(.unlocked)))
            #expect(state.opened.isEmpty)
        }
    }

    @Test func motionStopsWithoutTheFocus() throws {
        var state = try Given.signingIn()
        state.model.motion = .full
        #expect(TerminalAppRoot.nextTick(in: state) == AppState.frameTime)
        _ = state.take(.focusChanged(false))
        #expect(TerminalAppRoot.nextTick(in: state) == .seconds(1), "the countdown goes on")
        _ = state.take(.focusChanged(true))
        #expect(TerminalAppRoot.nextTick(in: state) == AppState.frameTime)
    }

    /// The partner replaces a theme while the terminal's colours are the other ones, and nothing is saved.
    @Test func themeFollowsTheTerminalsColours() throws {
        let themes = try ["chalk", "contrast", "daylight", "dusk", "gate"].map { try ShippedThemes.theme($0) }
        var state = AppState(TerminalAppSettings(themes: themes, theme: "dusk"), now: Sample.now)
        func follow(isLight: Bool) -> String {
            #expect(state.take(.colorsChanged(isLight: isLight)) == [])
            return state.displayedTheme.name
        }
        #expect(follow(isLight: false) == "dusk")
        #expect(follow(isLight: true) == "daylight")
        #expect(follow(isLight: false) == "dusk", "the user's own theme, not the partner's partner")
        state.choose(theme: "gate")
        #expect(follow(isLight: true) == "daylight" && follow(isLight: false) == "gate")
        state.choose(theme: "contrast")
        #expect(follow(isLight: true) == "contrast", "it has no partner")
    }

    @Test func everyPartnerHasTheOtherGround() throws {
        let themes = try ShippedThemes.coloured.map { try ShippedThemes.theme($0.name) }
        let pairs = themes.compactMap { theme in theme.partner.map { (theme, $0) } }
        #expect(pairs.count >= 4)
        for (theme, name) in pairs {
            #expect(try ShippedThemes.theme(name).hasLightGround != theme.hasLightGround, "\(theme.name)")
        }
    }

    /// "Sign in again as grace" starts another attempt; the other account is not kept.
    @Test func otherAccountIsAQuestionWithNamedAnswers() throws {
        var state = try Given.otherAccount()
        #expect(state.picture().text.contains("Enter Sign in again as grace"))
        #expect(state.picture().text.contains("The provider signed in ada (Ada Lovelace, ada@example.org)"))
        var kept = state
        _ = kept.press(.down)
        #expect(kept.picture().text.contains("Enter Keep as lab/ada"))
        let run = RunID(number: 1)
        let answer: SignInForm.Answers = [SignInForm.otherAccountField: Secret(SignInForm.otherAccountDiscarded)]
        #expect(state.press(.enter) == [.answer(answer, run)])
        let failure = AuthFailure(.security, text: "another account")
        _ = state.take(.signInReported(run, .finished(.failure(failure)), at: Sample.now))
        let next = try #require(state.current.as(SigningInScreen.self))
        #expect(next.run != run && next.request.account == "grace" && next.typed.isEmpty)
    }
}
