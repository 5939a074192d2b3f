import ProcessHarness
import TestSupport
import Testing

/// git send-email with Dovecot: git asks Yett's helper for the password, which is the token.
@Suite(
    .startsPrograms, .serialized, .timeLimit(.minutes(15)),
    .enabled(
        if: ToolServer.dovecotAcceptsPasswords && isProgram("/usr/lib/git-core/git-send-email"),
        "git send-email or Dovecot before version 2.4 is not installed: see Tests/RealProviders/install"))
struct SendEmailTests {
    /// Runs `body` with a home that is signed in, and in which git knows its mail server.
    ///
    /// - Parameters:
    ///   - settings: settings of the provider.
    ///   - isAllowed: whether the tokens may be sent to the mail server.
    private func signedIn(
        _ settings: String = "", seal: String = "key-file", isAllowed: Bool = true,
        _ body: (SignedInHome, MailHome) async throws -> Void
    ) async throws {
        let signedIn = try await SignedInHome(seal: seal)
        try await ToolServer.dovecot.running(issuer: signedIn.sandbox.issuer) { server in
            let mail = MailHome(home: signedIn.home, mail: server)
            try signedIn.configure(settings + (isAllowed ? "\napi_hosts = [\"\(mail.submissionHost)\"]" : ""))
            try signedIn.home.write(
                """
                [user]
                    name = Ada
                    email = \(MailHome.user)
                [sendemail]
                    smtpServer = localhost
                    smtpServerPort = \(mail.submission)
                    smtpEncryption = tls
                    smtpSSLCertPath = \(mail.certificate)
                    smtpUser = \(MailHome.user)
                    smtpAuth = PLAIN
                    confirm = never
                [credential "smtp://\(mail.submissionHost)"]
                    helper = !yett helper git sandbox

                """, to: ".gitconfig")
            try signedIn.home.write(
                "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: Ada <\(MailHome.user)>\n"
                    + "Date: Tue, 24 Nov 2026 12:00:00 +0000\nSubject: [PATCH] Add a\n\n---\n a | 1 +\n", to: "patch")
            try await body(signedIn, mail)
        }
        try await signedIn.stopAgent()
    }

    private func send(_ signedIn: SignedInHome) async throws -> ProgramResult {
        let words = ["send-email", "--to", MailHome.user, "--suppress-cc=all", "patch"]
        let environment = signedIn.home.environment(with: MailHome.path.merging(["GIT_TERMINAL_PROMPT": "0"]) { $1 })
        return try await Program(
            try #require(Product.installed("git")), words, environment: environment, folder: signedIn.home.path
        ).run()
    }

    /// git 2.39 ends with 0 without having sent the mail, so the mailbox counts.
    private func expectRefused(_ result: ProgramResult, _ mail: MailHome, _ words: [String]) {
        for word in words { #expect(result.errors.contains(word), "\(result)") }
        #expect(mail.subjects.isEmpty && mail.mechanisms.isEmpty)
    }

    @Test func patchIsSent() async throws {
        try await signedIn { signedIn, mail in
            let result = try await send(signedIn)
            #expect(result.status == 0, "\(result)")
            #expect(mail.subjects == ["[PATCH] Add a"])
            // Dovecot's log is written by another process.
            try await eventually("the login is not logged") { !mail.mechanisms.isEmpty }
            #expect(mail.mechanisms == ["PLAIN"])
            let token = try await signedIn.home.yett("token", "sandbox").output.dropLast()
            #expect(!(result.output + result.errors + mail.mail.log).contains(token))
        }
    }

    @Test func otherServerGetsNoTokenAndTheUserReadsWhy() async throws {
        try await signedIn(isAllowed: false) { signedIn, mail in
            expectRefused(
                try await send(signedIn), mail,
                ["tokens of sandbox are not sent to \(mail.submissionHost)", "add api_hosts = [\"\(mail.submissionHost)\"]"])
        }
    }

    @Test func lockedStoreSaysHowToUnlockIt() async throws {
        try await signedIn(seal: "passphrase") { signedIn, mail in
            #expect(try await signedIn.home.yett("agent", "lock").status == 0)
            expectRefused(try await send(signedIn), mail, ["the store is locked", "yett agent unlock"])
        }
    }

    @Test func signedOutSaysHowToSignIn() async throws {
        try await signedIn { signedIn, mail in
            #expect(try await signedIn.home.yett("logout", "sandbox").status == 0)
            expectRefused(try await send(signedIn), mail, ["there is no session sandbox", "yett login sandbox"])
        }
    }

    @Test func refusedConsentSendsNothing() async throws {
        try await signedIn("policy = \"ask\"") { signedIn, mail in
            expectRefused(try await send(signedIn), mail, ["needs your consent, but no app is open"])
            let terminal = try await TmuxTerminal(signedIn.home, size: .init(100, 30), with: MailHome.path)
            for (answer, subjects) in [("n", []), ("y", ["[PATCH] Add a"])] {
                let line = try await terminal.start("GIT_ASKPASS=true git send-email --to \(MailHome.user) --suppress-cc=all patch")
                try await terminal.wait(for: "Allow?")
                try await terminal.enter(answer)
                _ = try await terminal.end(of: line)
                #expect(mail.subjects == subjects)
            }
        }
    }
}
