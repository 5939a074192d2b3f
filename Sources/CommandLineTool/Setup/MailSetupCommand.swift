internal import ArgumentParser
internal import AuthModel

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

    @OptionGroup var options: GlobalOptionsHelp

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
