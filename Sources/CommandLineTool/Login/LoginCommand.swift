internal import ArgumentParser
internal import AuthModel

/// `yett login`: signs the user in through their own browser.
struct LoginCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in at a provider, through your own browser.",
        discussion: """
            Without a provider the only configured one is taken, or you are asked. Signing in again replaces the session of the same \
            account; another account gets a session of its own. An account named with --account that is signed in already is left alone \
            (exit status 10), unless something else is asked of the sign-in. The address of a protected resource, such as an MCP server, \
            stands for the provider of its tokens; one that is not configured yet is added first.
            """)

    @Argument(
        help: "The provider's name in the configuration, PROVIDER/ACCOUNT, or the address of a protected resource.",
        completion: .names(.providers))
    var provider: String?

    @Option(
        name: .customLong("redirect"),
        help: ArgumentHelp(
            "A redirect address to register with --register, instead of one with a free port; may be repeated.", valueName: "url"))
    var redirects: [String] = []

    @OptionGroup var login: LoginOptions
    @OptionGroup var client: ClientOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        if let bad = redirects.first(where: { RedirectRule($0)?.redirectsToThisMachine != true }) {
            throw ValidationError("nobody can come back to '\(bad)'; write it as http://127.0.0.1:8400/callback")
        }
    }

    func run(in context: CommandContext) async throws {
        let target = try await ResourceOnboarding.target(
            provider, client: client, trust: trust, redirects: redirects, port: login.port, in: context)
        do {
            var run = SignInRun(options: login, purpose: .signIn, context: context)
            run.isForResource = target.isResource
            try await run.run(target.argument)
        } catch {
            // This task may be cancelled, so the clean-up runs in a task of its own.
            if let added = target.added { await Task { await ResourceOnboarding.undoAdding(added, in: context) }.value }
            throw error
        }
    }
}

/// `yett signup`: creates an account at a provider, and signs in with it.
struct SignupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "signup", abstract: "Make an account at a provider, and sign in with it.",
        discussion: "The provider's own page for new accounts is opened; the program never sees what you type there.")

    @Argument(help: "The provider's name in the configuration.", completion: .names(.providers))
    var provider: String?

    @OptionGroup var login: LoginOptions
    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        try await SignInRun(options: login, purpose: .signUp, context: context).run(provider)
    }
}

/// `yett recover`: starts the recovery of an account whose authenticator is lost.
struct RecoverCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Ask for the way back to an account whose authenticator is lost.",
        discussion: "The provider sends a link to your e-mail address. Nothing is changed here.")

    @Argument(help: "The provider's name in the configuration.", completion: .names(.providers))
    var provider: String?

    @OptionGroup var login: LoginOptions
    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        try await SignInRun(options: login, purpose: .recover, context: context).run(provider)
    }
}
