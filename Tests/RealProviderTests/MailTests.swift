import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// msmtp, mutt and git send-email with Dovecot, which asks the provider whose tokens it is given.
@Suite(
    .startsPrograms, .serialized, .timeLimit(.minutes(15)),
    .enabled(
        if: ToolServer.dovecot.isInstalled && Product.installed("msmtp") != nil && Product.installed("mutt") != nil,
        "Dovecot, msmtp or mutt is not installed: see Tests/RealProviders/install"))
struct MailTests {
    /// msmtp says that it got no password, and the command said why; nothing arrives.
    private func expectRefused(_ result: ProgramResult, _ mail: MailHome, _ words: [String]) {
        #expect(result.status != 0 && result.output.isEmpty, "\(result)")
        for word in words { #expect(result.errors.contains(word), "\(result)") }
        #expect(mail.subjects.isEmpty)
    }

    @Test func mailIsSentAndRead() async throws {
        try await MailHome.signedIn { signedIn, mail in
            #expect(try await mail.send("First").status == 0)
            try mail.replace("auth xoauth2", with: "auth oauthbearer", in: ".msmtprc")
            #expect(try await mail.send("Second").status == 0)
            #expect(mail.subjects == ["First", "Second"])
            // Dovecot's log is written by another process.
            try await eventually("the logins are not logged") { mail.mechanisms.count == 2 }
            #expect(mail.mechanisms == ["XOAUTH2", "OAUTHBEARER"])
            let terminal = try await TmuxTerminal(signedIn.home, with: MailHome.path)
            try await terminal.enter("clear; mutt")
            try await terminal.wait { $0.shows("First") && $0.shows("Second") && $0.shows("=INBOX") }
            try await terminal.press("q")
            try await terminal.wait { $0.foregroundProgram == "bash" }
            let token = try await signedIn.home.yett("token", "sandbox").output.dropLast()
            #expect(!mail.mail.log.contains(token))
            try await signedIn.stopAgent()
        }
    }

    /// The whole responses that `yett helper` prints, for programs that pass them on.
    @Test(arguments: [["xoauth2"], ["oauthbearer"]])
    func preparedResponseIsAccepted(helper: [String]) async throws {
        try await MailHome.signedIn { signedIn, mail in
            let response = try await signedIn.home.yett("helper", helper[0], "sandbox")
            #expect(response.status == 0 && response.errors.isEmpty, "\(response)")
            let mechanism = helper[0].uppercased()
            let answer = try await mail.converse(["a AUTHENTICATE \(mechanism) \(response.output.dropLast())", "b LOGOUT"])
            #expect(answer.contains("a OK") && answer.contains("Logged in"), "\(answer)")
            try await signedIn.stopAgent()
        }
    }

    @Test func lockedStoreSaysHowToUnlockIt() async throws {
        try await MailHome.signedIn(seal: "passphrase") { signedIn, mail in
            #expect(try await signedIn.home.yett("agent", "lock").status == 0)
            expectRefused(try await mail.send("First"), mail, ["the store is locked", "yett agent unlock"])
            try await signedIn.stopAgent()
        }
    }

    /// Every connection gets a token that is still valid, without a new sign-in. A token that is valid for less than a minute counts as
    /// expired.
    @Test func expiredTokenIsRenewed() async throws {
        try await MailHome.signedIn(sandbox: ["--access-lifetime", "50"]) { signedIn, mail in
            let first = try await signedIn.home.yett("token", "sandbox").output
            try await eventually("the token stays") { try await signedIn.home.yett("token", "sandbox").output != first }
            let result = try await mail.send("First")
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
            #expect(mail.subjects == ["First"])
            try await signedIn.stopAgent()
        }
    }

    @Test func endedSessionSaysHowToSignIn() async throws {
        let signedIn = try await SignedInHome(sandbox: ["--access-lifetime", "2", "--fault", "refresh-invalid-grant"])
        try await ToolServer.dovecot.running(issuer: signedIn.sandbox.issuer) { server in
            let mail = MailHome(home: signedIn.home, mail: server)
            try mail.configure()
            try await eventually("the session stays") { try await signedIn.home.yett("token", "sandbox").status != 0 }
            expectRefused(try await mail.send("First"), mail, ["yett login sandbox"])
            #expect(try await signedIn.home.yett("logout", "sandbox").status == 0)
            expectRefused(try await mail.send("First"), mail, ["not signed in", "yett login sandbox"])
            try await signedIn.stopAgent()
        }
    }

    @Test func providerThatIsDownIsReported() async throws {
        try await MailHome.signedIn(sandbox: ["--access-lifetime", "2"]) { signedIn, mail in
            await signedIn.sandbox.stop()
            try await eventually("the token stays") { try await signedIn.home.yett("token", "sandbox").status != 0 }
            expectRefused(try await mail.send("First"), mail, ["127.0.0.1", "yett: hint: "])
            try await signedIn.stopAgent()
        }
    }

    /// A server that does not know the token refuses it, and the user sees that the server did.
    @Test func serverOfAnotherProviderRefusesTheToken() async throws {
        let other = try await SandboxProvider()
        let signedIn = try await SignedInHome()
        try await ToolServer.dovecot.running(issuer: other.issuer) { server in
            let mail = MailHome(home: signedIn.home, mail: server)
            try await mail.setUp()
            expectRefused(try await mail.send("First"), mail, ["authentication failed (method XOAUTH2)"])
        }
        try await signedIn.stopAgent()
    }

    /// A server that cannot prove who it is gets no token.
    @Test func serverWithAnotherCertificateGetsNoToken() async throws {
        try await MailHome.signedIn { signedIn, mail in
            try mail.replace("host localhost", with: "host 127.0.0.1", in: ".msmtprc")
            expectRefused(try await mail.send("First"), mail, ["certificate"])
            #expect(!mail.mail.log.contains("method="))
            try await signedIn.stopAgent()
        }
    }

    @Test func refusedConsentSendsNothing() async throws {
        try await MailHome.signedIn { signedIn, mail in
            try signedIn.configure("policy = \"ask\"")
            expectRefused(try await mail.send("First"), mail, ["needs your consent, but no app is open"])
            let terminal = try await TmuxTerminal(signedIn.home, size: .init(100, 30), with: MailHome.path)
            for (answer, status) in [("n", 78), ("y", 0)] {
                try signedIn.home.write("From: \(MailHome.user)\nSubject: \(answer)\n\nText\n", to: "message")
                let line = try await terminal.start("msmtp -a sandbox \(MailHome.user) <message")
                try await terminal.wait(for: "Allow?")
                try await terminal.enter(answer)
                let end = try await terminal.end(of: line)
                #expect(end.status == status, "\(end.screen)")
            }
            #expect(mail.subjects == ["y"])
            // mutt reads keys, and asks for each connection.
            _ = try await terminal.start("mutt")
            try await terminal.wait(for: "Allow?")
            try await terminal.enter("y")
            try await terminal.wait { $0.shows("=INBOX") && $0.shows(MailHome.user) }
            try await terminal.press("q")
            try await terminal.wait { $0.foregroundProgram == "bash" }
            try await signedIn.stopAgent()
        }
    }

    @Test func firstUseSignsIn() async throws {
        let world = try await OnDemandHome()
        try await ToolServer.dovecot.running(issuer: world.sandbox.issuer) { server in
            let mail = MailHome(home: world.home, mail: server)
            try mail.configure()
            // No user, and so no sign-in.
            expectRefused(try await mail.send("First"), mail, ["not signed in", "yett login sandbox"])
            let terminal = try await world.terminal(browser: try world.followingBrowser())
            try await terminal.enter("clear; mutt")
            try await terminal.wait { $0.shows("=INBOX") && $0.foregroundProgram == "mutt" }
            try await terminal.press("q")
            try await terminal.wait { $0.foregroundProgram == "bash" }
            #expect(world.signIns.count == 1)
            #expect(try await mail.send("First").status == 0)
            #expect(mail.subjects == ["First"])
        }
        try await world.stopAgent()
    }
}
