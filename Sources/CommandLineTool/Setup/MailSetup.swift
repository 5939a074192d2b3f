internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem

/// `yett setup mail`: prints the settings of mail programs.
struct MailSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Print the settings of msmtp, mutt and mbsync.",
        discussion: "Changes no file: put the lines into the files that they name. Then gets a token as the programs do.")
    static let examples: KeyValuePairs = [
        "yett setup mail work --imap imap.example.org --smtp smtp.example.org": "Prints the settings for a mailbox."
    ]

    @OptionGroup var mailbox: MailboxOptions

    @Option(help: ArgumentHelp("The IMAP server, HOST or HOST:PORT. Default: imap. before the domain of the user.", valueName: "host"))
    var imap: String?

    @Option(help: ArgumentHelp("The SMTP server, HOST or HOST:PORT. Default: smtp. before the domain of the user.", valueName: "host"))
    var smtp: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let tool = try await ToolSession.named(mailbox.session, in: context)
        let user = if let user = mailbox.user { user } else { try await MailboxOptions.address(of: tool) }
        // msmtp replaces it in the address of the sender.
        guard !user.contains("%") else { throw AuthFailure(.usage, text: "'\(user)' cannot be written for msmtp", hint: "set --user") }
        let domain = user.contains("@") ? user.split(separator: "@").last.map(String.init) ?? "" : "example.org"
        let environment = try SetupEnvironment(context)
        let setup = MailSetup(
            session: try SessionName(argument: mailbox.session), user: user, imap: try MailServer(imap ?? "imap." + domain),
            smtp: try MailServer(smtp ?? "smtp." + domain), mbsync: await MBSync.installed(in: environment), environment: environment)
        try context.console.answer(MailSettings(setup: setup), asJSON: json)
        if imap == nil || smtp == nil { context.console.hint("if the servers have other names, set --imap and --smtp") }
        if setup.mbsync != nil {
            context.console.hint(
                "mbsync also needs a SASL plugin for XOAUTH2: Debian and Ubuntu have it in the package libsasl2-modules-kdexoauth2")
        }
        let check = try await setup.check()
        context.console.note("checked: \(check.command) returned \(check.found)")
    }
}

/// The settings of mail programs for one mailbox. They are only shown, because every user has other accounts in these files.
struct MailSetup {
    let session: SessionName?
    /// The user at the mail server.
    let user: String
    let imap: MailServer
    let smtp: MailServer
    /// The installed mbsync; `nil` if there is none.
    let mbsync: MBSync?
    let environment: SetupEnvironment

    /// The command that prints a token.
    private var command: String { (["yett", "token"] + (session.map { [$0.description] } ?? [])).shellLine }

    private var userInURL: String { FormEncoding.escape(user).replacing("%40", with: "@").replacing("%2B", with: "+") }

    /// The lines for each program, under the name of its file.
    var settings: [(file: String, lines: [String])] {
        let name = session?.provider.text ?? "yett"
        let port = smtp.port ?? 587
        // RFC 8314: on port 465, TLS begins with the connection.
        let isImplicit = port == 465
        return [
            (
                "~/.msmtprc",
                [
                    "account \(name)", "host \(smtp.host)", "port \(port)", "tls on",
                ] + (isImplicit ? ["tls_starttls off"] : []) + [
                    "auth xoauth2", "from \(ToolSyntax.msmtp(user))", "user \(ToolSyntax.msmtp(user))",
                    "passwordeval \(ToolSyntax.msmtp(command))",
                ]
            ),
            (
                "~/.muttrc",
                [
                    ("from", user), ("folder", "imaps://\(imap.authority)"), ("spoolfile", "+INBOX"), ("imap_user", user),
                    ("imap_authenticators", "oauthbearer:xoauth2"), ("imap_oauth_refresh_command", command),
                    ("smtp_url", "\(isImplicit ? "smtps" : "smtp")://\(userInURL)@\(smtp.host):\(port)"),
                    ("smtp_authenticators", "oauthbearer:xoauth2"), ("smtp_oauth_refresh_command", command),
                ].map { "set \($0.0) = \(ToolSyntax.mutt($0.1))" }
            ),
            (
                "~/.mbsyncrc",
                [
                    "IMAPAccount \(name)", "Host \(imap.host)",
                ] + (imap.port.map { ["Port \($0)"] } ?? []) + [
                    "User \(ToolSyntax.mbsync(user))", "\((mbsync ?? .current).rawValue) IMAPS", "AuthMechs XOAUTH2",
                    "PassCmd \(ToolSyntax.mbsync(command))",
                ]
            ),
        ]
    }

    func check() async throws(AuthFailure) -> SetupCheck {
        _ = try environment.requireYett(for: "a mail program")
        let exchange = try await environment.run(["yett", "token"] + (session.map { [$0.description] } ?? []))
        guard exchange.status == 0, exchange.output.count > 1 else { throw exchange.refusal("mail programs get no token") }
        return SetupCheck(command: command, found: "a token")
    }
}

/// The settings of mail programs, as `yett setup mail` prints them.
struct MailSettings: Answer {
    let setup: MailSetup

    var lines: [String] {
        setup.settings.enumerated().flatMap { index, part in (index > 0 ? [""] : []) + ["# \(part.file)"] + part.lines }
    }

    var json: JSONValue {
        .answer(
            ("tool", "mail"), ("session", JSONValue(setup.session?.description)),
            ("settings", .object(setup.settings.map { .init($0.file, JSONValue($0.lines)) })))
    }
}

/// A server of a mailbox, as a user names it.
struct MailServer {
    let host: String
    /// The port; `nil` is that of the protocol.
    let port: Int?

    /// `HOST`, or `HOST:PORT`.
    var authority: String { host + (port.map { ":\($0)" } ?? "") }

    /// Parses `HOST` or `HOST:PORT`. Throws `.usage`.
    init(_ text: String) throws(AuthFailure) {
        let parts = try WebURL.server(text).origin.authority.split(separator: ":", omittingEmptySubsequences: false)
        // An IPv6 address has colons of its own, and brackets around them.
        let port = parts.count == 2 || parts.dropLast().last?.hasSuffix("]") == true ? parts.last.flatMap { Int($0) } : nil
        self.port = port
        host = (port == nil ? parts[...] : parts.dropLast()).joined(separator: ":")
    }
}

/// The keyword of mbsync that the kind of TLS follows.
enum MBSync: String {
    /// Version 1.5 and later, where `SSLType` is deprecated.
    case current = "TLSType"
    /// Earlier versions, such as Debian 12's 1.4, which do not know `TLSType`.
    case old = "SSLType"

    /// Returns that of the installed program; `nil` if there is none.
    static func installed(in environment: SetupEnvironment) async -> MBSync? {
        guard environment.program("mbsync") != nil, let text = try? await environment.output(of: ["mbsync", "--version"]) else {
            return nil
        }
        // It prints `isync 1.4.4`.
        let numbers = (text.split(separator: " ").last ?? "").split(separator: ".").map { Int($0.trimmed) ?? 0 }
        return numbers.starts(with: [1]) && numbers.count > 1 && numbers[1] < 5 ? .old : .current
    }
}
