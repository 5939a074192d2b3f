import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The app says what happened and what to do, and claims no more than is true.
@Suite struct GuidanceTests {
    /// On a machine where the app can neither add a provider nor start the demo.
    @Test func withoutProvidersKeysSayThatThereIsNothingToChoose() throws {
        var state = Given.loaded()
        state.model.presets = nil
        for key in [Key.enter, .character("s"), .down] {
            #expect(state.press(key) == [])
            #expect(state.notice?.text == HomeWords.nothingToChoose)
        }
        // A provider may have been added in the meantime.
        #expect(state.press(.character("r")) == [.reload])
        #expect(state.current.screen.keyHints(in: state.model).isEmpty)
    }

    @Test func activityOpensWithoutSessions() throws {
        var state = Given.pressed(try Given.firstRun(), .character("a"))
        #expect(state.picture().text.contains("No activity yet."))
        #expect(state.press(.down) == [])
        #expect(state.notice?.text == ActivityWords.nothingYet)
    }

    @Test func storeWithoutAPassphraseUnlocksWithoutAsking() throws {
        var state = try Given.sessions()
        _ = state.take(
            .loaded(
                SealReport(state: .locked(isNew: false), needsPassphrase: false), providers: [], sessions: try Sample.sessions(),
                at: Sample.now))
        #expect(state.press(.character("L")) == [.unlock(Secret(""))])
        #expect(state.opened.isEmpty)
        #expect(state.take(.unlockEnded(nil)) == [.load, .loadActivity, .loadSession(try Sample.name("old/marie"))])
        #expect(state.notice == Notice(LockWords.wasUnlocked, .good))
    }

    @Test func failedAutomaticUnlockShowsTheReason() throws {
        var state = try Given.sessions()
        _ = state.take(.unlockEnded(AuthFailure(.configuration, text: "the key file is gone", hint: "put it back")))
        #expect(state.notice == Notice("the key file is gone: put it back", .warning))
    }

    /// Forgetting is not signing out, and the receipt does not call it that.
    @Test func receiptOfAForgottenSessionSaysForgotten() throws {
        let name = try Sample.name("work/ada@example.org")
        let receipt = SignOutReceipt(session: name, entries: [.init(.forget, .done)])
        let page = ReceiptScreen(receipt: receipt).page(in: AppModel(now: Sample.now), .unicode)
        #expect(page.blocks.contains { "\($0)".contains("work/ada@example.org was forgotten here. The provider was not notified.") })
        var left = try Given.session()
        _ = left.take(.signOutEnded(name, .localOnly, .success(receipt)))
        #expect(left.notice?.text == "work/ada@example.org was forgotten here; the provider was not notified")
    }

    @Test func helpSaysWhyAKeyIsUnavailable() throws {
        var state = Given.loaded()
        state.model.presets = nil
        _ = state.press(.character("?"))
        let text = state.picture().text
        #expect(text.contains("(not now: no provider is configured)") || text.contains("(not now: no provider is\n"))
        #expect(!text.contains("yett demo"))
    }

    @Test func failureReasonIsShownInFull() throws {
        var state = try Given.firstRun()
        let reason = "127.0.0.1:9000 refused the sign-in: access_denied: the policy of the house forbids it on Sundays"
        let name = try Sample.name("lab")
        _ = state.take(
            .serviceReported(.activity(Activity(at: Sample.now, kind: .signInFailed, session: name, message: .verbatim(reason)))))
        _ = state.press(.character("a"))
        let words = state.picture().text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("lab: " + reason))
    }

    @Test func renewalOnDemandIsLabelledSo() throws {
        let session = SessionSummary(
            name: try Sample.name("lab/grace"), issuer: "https://id.example.org", subject: "1", recordedState: .signedIn,
            accessExpiresAt: Sample.now + .seconds(600), refreshExpiresAt: nil, isRenewable: true, nextRenewalAt: nil, scopes: [],
            grantedAt: Sample.now, receivedAt: Sample.now, lastUsedAt: nil, lastUsedBy: nil, warnings: [])
        let text = Given.loaded(sessions: [session]).picture(Size(columns: 200, rows: 24)).text
        #expect(text.contains("next renewal    when a token is requested"))
        #expect(text.contains("on demand"))
    }

    @Test func rejectedPasteCanBeRepeated() throws {
        var state = try Given.pressed(Given.signingIn(), .character("p"), .character("x"))
        let run = RunID(number: 1)
        #expect(state.press(.enter) == [.paste(Secret("x"), run)])
        #expect(state.press(.enter) == [], "one at a time")
        _ = state.press(.character("y"))
        let failure = AuthFailure(.security, "callback.pasted_address_of_other_sign_in")
        _ = state.take(.pasteAnswered(run, failure))
        let text = state.picture().text
        #expect(text.contains("The pasted address does not belong to this sign-in."))
        #expect(!text.contains(SigningInWords.pasteChecking))
        #expect(state.press(.enter) == [.paste(Secret("x"), run)], "what was typed during the check is not in it")
    }
}
