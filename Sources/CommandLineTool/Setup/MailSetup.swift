internal import AuthModel
internal import OperatingSystem

/// The settings of mail programs for one mailbox. They are only shown, because every user has other accounts in these files.
struct MailSetup: ToolSetup {
    static let tool = SetupTool.mail

    let session: SessionName?
    /// The user at the mail server.
    let user: String
    let imap: MailServer
    let smtp: MailServer
    /// The installed mbsync; `nil` if there is none.
    let mbsync: MBSync?
    let environment: SetupEnvironment

    var target: String { user }

    static func current(in environment: SetupEnvironment) -> [SetupEntry] { [] }
    func change() -> SetupChange { SetupChange() }
    func undo() -> SetupChange { SetupChange() }

    /// The command that prints a token.
    private var command: String { (["yett", "token"] + (session.map { [$0.description] } ?? [])).shellLine }

    /// The user in a URL.
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
                    "User \(ToolSyntax.mbsync(user))", "\((mbsync ?? .current).keywordForTLS) IMAPS", "AuthMechs XOAUTH2",
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
