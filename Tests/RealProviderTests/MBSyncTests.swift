import ProcessHarness
import TestSupport
import Testing

/// mbsync with Dovecot, and with the SASL plugin that turns its password into an XOAUTH2 response.
@Suite(
    .startsPrograms, .serialized, .timeLimit(.minutes(15)),
    .enabled(
        if: ToolServer.dovecot.isInstalled && Product.installed("mbsync") != nil,
        "Dovecot or mbsync is not installed: see Tests/RealProviders/install"))
struct MBSyncTests {
    /// mbsync ends with a failure and says why; nothing is copied.
    private func expectRefused(_ result: ProgramResult, _ mail: MailHome, _ words: [String]) {
        #expect(result.status != 0, "\(result)")
        for word in words { #expect(result.errors.contains(word), "\(result)") }
        #expect(mail.copiedSubjects.isEmpty)
    }

    /// A token that is valid for less than a minute counts as expired.
    @Test func mailboxIsCopiedAndTheTokenRenewed() async throws {
        try await MailHome.signedIn(sandbox: ["--access-lifetime", "50"]) { signedIn, mail in
            try await mail.setUpMBSync()
            #expect(try await mail.send("First").status == 0)
            let first = try await mail.synchronize()
            #expect(first.status == 0, "\(first)")
            #expect(mail.copiedSubjects == ["First"])
            let token = try await signedIn.home.yett("token", "sandbox").output
            try await eventually("the token stays") { try await signedIn.home.yett("token", "sandbox").output != token }
            #expect(try await mail.send("Second").status == 0)
            let second = try await mail.synchronize()
            #expect(second.status == 0, "\(second)")
            #expect(mail.copiedSubjects == ["First", "Second"])
            #expect(mail.mechanisms.allSatisfy { $0 == "XOAUTH2" })
            try await signedIn.stopAgent()
        }
    }

    @Test func lockedStoreSaysHowToUnlockIt() async throws {
        try await MailHome.signedIn(seal: "passphrase") { signedIn, mail in
            try await mail.setUpMBSync()
            #expect(try await mail.send("First").status == 0)
            #expect(try await signedIn.home.yett("agent", "lock").status == 0)
            expectRefused(try await mail.synchronize(), mail, ["the store is locked", "yett agent unlock"])
            try await signedIn.stopAgent()
        }
    }

    @Test func signedOutSessionSaysHowToSignIn() async throws {
        try await MailHome.signedIn { signedIn, mail in
            try await mail.setUpMBSync()
            #expect(try await signedIn.home.yett("logout", "sandbox").status == 0)
            expectRefused(try await mail.synchronize(), mail, ["not signed in", "yett login sandbox"])
            try await signedIn.stopAgent()
        }
    }

    @Test func refusedConsentCopiesNothing() async throws {
        try await MailHome.signedIn { signedIn, mail in
            try await mail.setUpMBSync()
            #expect(try await mail.send("First").status == 0)
            try signedIn.configure("policy = \"ask\"")
            expectRefused(try await mail.synchronize(), mail, ["needs your consent, but no app is open"])
            let terminal = try await TmuxTerminal(signedIn.home, size: .init(100, 30), with: MailHome.path)
            for (answer, copied) in [("n", []), ("y", ["First"])] {
                let line = try await terminal.start("mbsync --config ~/.mbsyncrc mail")
                try await terminal.wait(for: "Allow?")
                try await terminal.enter(answer)
                let end = try await terminal.end(of: line)
                #expect((end.status == 0) == !copied.isEmpty, "\(end.screen)")
                #expect(mail.copiedSubjects == copied)
            }
            try await signedIn.stopAgent()
        }
    }

    /// A server that cannot prove who it is, or that knows only the tokens of another provider.
    @Test(arguments: [("Host localhost", "Host 127.0.0.1", "certificate"), ("", "", "XOAUTH2")])
    func wrongServerIsRefused(host: String, other: String, word: String) async throws {
        let issuer = try await SandboxProvider()
        let signedIn = try await SignedInHome()
        try await ToolServer.dovecot.running(issuer: host.isEmpty ? issuer.issuer : signedIn.sandbox.issuer) { server in
            let mail = MailHome(home: signedIn.home, mail: server)
            try await mail.setUpMBSync()
            if !host.isEmpty { try mail.replace(host, with: other, in: ".mbsyncrc") }
            expectRefused(try await mail.synchronize(), mail, [word])
        }
        try await signedIn.stopAgent()
    }
}
