import AuthModel
import ProcessHarness
import Testing

/// A home whose mail programs send and read mail through Dovecot with the tokens of a session.
struct MailHome {
    let home: TemporaryHome
    let mail: StartedServer

    /// Runs `body` with a home that is signed in, and set up for Dovecot.
    static func signedIn(
        _ settings: String = "", seal: String = "key-file", sandbox options: [String] = [],
        _ body: (SignedInHome, MailHome) async throws -> Void
    ) async throws {
        let signedIn = try await SignedInHome(settings, seal: seal, sandbox: options)
        try await ToolServer.dovecot.running(issuer: signedIn.sandbox.issuer) { server in
            let mail = MailHome(home: signedIn.home, mail: server)
            try await mail.setUp()
            try await body(signedIn, mail)
            let output = server.log
            #expect(!output.contains("Fatal") && !output.contains("Panic"), "\(output)")
        }
    }

    /// The user at Dovecot: the e-mail address that the sandbox names.
    static let user = "ada@example.org"

    /// The home's variables, with `yett` in `PATH`.
    static var path: [String: String?] {
        ["PATH": Product.searchPath]
    }

    /// The port for submission, with STARTTLS.
    var submission: String { Self.line(mail.read("submission")) }
    /// The certificate that a client has to trust.
    var certificate: String { mail.folder + "/certificate.pem" }
    /// The mail server as git and the configuration write it.
    var submissionHost: String { "localhost:\(submission)" }

    private static func line(_ bytes: [UInt8]?) -> String { String(decoding: (bytes ?? []).filter { $0 > 32 }, as: UTF8.self) }

    /// Puts the lines that `yett setup mail` prints into their files, and makes the programs trust the server's certificate.
    func setUp() async throws { try write(try await settings()) }

    /// Writes the files with the session's name, as a user does who is not signed in yet.
    func configure() throws {
        try write([
            ".msmtprc": [
                "account sandbox", "host localhost", "port \(submission)", "tls on", "auth xoauth2", "from \(Self.user)",
                "user \(Self.user)",
                "passwordeval \"yett token sandbox\"",
            ],
            ".muttrc": [
                "set folder = \"\(mail.address)\"", "set spoolfile = \"+INBOX\"", "set imap_user = \"\(Self.user)\"",
                "set imap_authenticators = \"oauthbearer\"", "set imap_oauth_refresh_command = \"yett token sandbox\"",
            ],
        ])
    }

    private func settings() async throws -> [String: [String]] {
        let authority = mail.address.dropFirst("imaps://".count)
        let words = ["setup", "mail", "sandbox", "--imap", String(authority), "--smtp", submissionHost, "--json"]
        let result = try await home.program("yett", words, with: Self.path).run()
        try #require(result.status == 0, "\(result)")
        let settings = try #require(try JSONValue(strict: result.output)["settings"]?.members)
        return Dictionary(
            uniqueKeysWithValues: settings.map { (String($0.name.dropFirst(2)), ($0.value.array ?? []).compactMap(\.string)) })
    }

    private func write(_ settings: [String: [String]]) throws {
        let trust = [".msmtprc": "tls_trust_file \(certificate)", ".muttrc": "set certificate_file = \"\(certificate)\""]
        for (file, line) in trust {
            let lines = try #require(settings[file])
            #expect(lines.contains { $0.contains(Self.user) })
            try home.write((lines + [line, ""]).joined(separator: "\n"), to: file)
        }
    }

    /// Adds a local folder for mbsync to the lines that `yett setup mail` prints for it.
    func setUpMBSync() async throws {
        let account = try #require(try await settings()[".mbsyncrc"])
        try home.write(
            """
            \(account.joined(separator: "\n"))
            CertificateFile "\(certificate)"

            IMAPStore far
            Account sandbox

            MaildirStore near
            Inbox \(home.path)/copy

            Channel mail
            Far :far:
            Near :near:
            Create Near

            """, to: ".mbsyncrc")
    }

    /// Copies the mailbox with mbsync.
    func synchronize() async throws -> ProgramResult {
        let mbsync = try #require(Product.installed("mbsync"))
        return try await Program(
            mbsync, ["--config", "\(home.path)/.mbsyncrc", "mail"], environment: home.environment(with: Self.path), folder: home.path
        ).run()
    }

    /// The subjects of the mails that mbsync has copied.
    var copiedSubjects: [String] {
        Self.subjects(home.files.filter { $0.hasPrefix("copy/new/") || $0.hasPrefix("copy/cur/") }.compactMap(home.read))
    }

    /// Replaces text in one of the files.
    func replace(_ text: String, with other: String, in file: String) throws {
        let before = String(decoding: try #require(home.read(file)), as: UTF8.self)
        try #require(before.contains(text), "\(before)")
        try home.write(before.replacing(text, with: other), to: file)
    }

    /// Sends a mail to the user with msmtp.
    func send(_ subject: String) async throws -> ProgramResult {
        let message = "From: \(Self.user)\nTo: \(Self.user)\nSubject: \(subject)\n\nText\n"
        let msmtp = try #require(Product.installed("msmtp"))
        let words = ["--account=sandbox", Self.user]
        return try await Program(
            msmtp, words, environment: home.environment(with: Self.path), folder: home.path, input: message
        ).run()
    }

    /// The subjects of the mails that arrived.
    var subjects: [String] { Self.subjects(mail.files(in: "mail").compactMap(mail.read)) }

    private static func subjects(_ mails: [[UInt8]]) -> [String] {
        mails.flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).filter { $0.hasPrefix("Subject: ") }.prefix(1)
        }.map { String($0.dropFirst("Subject: ".count)) }.sorted()
    }

    /// The SASL mechanisms of the successful logins, in order.
    var mechanisms: [String] {
        // Dovecot 2.4 has other words for a login.
        mail.log.split(separator: "\n").filter { $0.contains(" Login: ") || $0.contains(" Logged in: ") }.compactMap { line in
            line.split(separator: ",").first { $0.contains("method=") }?.split(separator: "=").last.map(String.init)
        }
    }

    /// Sends lines to the IMAP server, and returns what it answers.
    func converse(_ lines: [String]) async throws -> String {
        let words = [
            "s_client", "-quiet", "-verify_quiet", "-CAfile", certificate, "-connect", String(mail.address.dropFirst("imaps://".count)),
        ]
        let result = try await Program(
            try #require(Product.installed("openssl")), words, environment: home.environment, folder: home.path,
            input: lines.map { $0 + "\r\n" }.joined()
        ).run()
        return result.output
    }
}
