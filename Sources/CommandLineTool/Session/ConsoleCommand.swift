internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// `yett console`: opens the AWS console as a role.
struct ConsoleCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "console", abstract: "Open the AWS console, signed in as a role.",
        discussion: """
            Your browser opens an address on this machine that works once and redirects to the sign-in of AWS. The sign-in itself is never \
            printed, and never an argument of a program.
            """)
    static let examples: KeyValuePairs = [
        "yett console aws production/ReadOnlyAccess": "Opens the console in your browser.",
        "yett console aws 123456789012/Admin --url": "Prints the address, for another browser or another profile of it.",
        "yett console \"$(yett pick --aws)\"": "Chooses a role of the only provider with AWS roles.",
    ]

    @Argument(
        help: "PROVIDER or PROVIDER/ACCOUNT. Leave it out if only one provider has AWS roles.", completion: .names(.sessions))
    var session: String

    @Argument(help: "The AWS account, by number or name, and the role.")
    var role: String?

    @Flag(help: "Print the address instead of opening it, and wait until a browser has opened it.")
    var url = false

    func run(in context: CommandContext) async throws {
        // One argument is the role.
        let name = try role == nil ? RoleSession.onlyProvider(in: context) : session
        let roles = try await RoleSession.named(name, for: "yett console", in: context)
        try await Self.open(try await roles.role(role ?? session), of: roles, printsAddress: url, in: context)
    }

    /// Opens the console as a role, and returns when the browser has left this machine.
    ///
    /// - Parameter printsAddress: whether the user opens the address.
    static func open(
        _ role: AccountRole, of session: RoleSession, printsAddress: Bool = false, in context: CommandContext
    ) async throws {
        let provider = session.tool.provider
        let visit = try await ConsoleVisit(with: try await session.credentials(of: role), at: provider, in: context)
        do {
            if printsAddress {
                try context.console.lines([visit.address.text])
            } else {
                context.console.note("opening the AWS console in your browser")
                let launch = await context.openBrowser(visit.address, of: provider)
                launch.explain(to: context.console)
                if !launch.hasStarted { context.console.note("open this address: \(visit.address.text)") }
            }
        } catch {
            await visit.close()
            throw error
        }
        let wasVisited = await visit.wait()
        try Task.checkCancellation()
        guard wasVisited else {
            throw AuthFailure(.timedOut, "console.not_opened_in_time", hint: "hint.try_again")
        }
    }
}

/// An address on this machine that works once, and redirects a browser to the sign-in of the AWS console.
struct ConsoleVisit {
    private let listener: LoopbackListener
    private let redirect: LoopbackListener.BrowserRedirect
    private let time: any TimeSource

    /// The time for which the address works.
    private static let limit = Duration.seconds(120)

    /// Gets the sign-in for credentials of a role, and opens the port. The caller ends it with ``wait()`` or ``close()``.
    init(
        with credentials: RoleCredentials, at provider: ProviderConfiguration, in context: CommandContext
    ) async throws(AuthFailure) {
        guard let console = provider.kindSettings?.console else { throw AuthFailure(.bug, text: "the provider has no console") }
        let login = try await ConsoleSignIn(console: console, transport: context.edges.transport, caFile: provider.caFile)
            .address(for: credentials)
        let listener = try await LoopbackListener.bind(rules: [.standard])
        let name = Base64URL.encode([UInt8].random(count: 32))
        guard let redirect = listener.sendOnce(to: login, from: name) else {
            await listener.close()
            throw AuthFailure(.bug, text: "the address of the console is not valid")
        }
        (self.listener, self.redirect) = (listener, redirect)
        time = context.edges.time
    }

    var address: WebURL { redirect.address }

    /// Waits until a browser has opened the address, and closes the port. Returns whether one has, in time.
    func wait() async -> Bool {
        let outcome = await time.outcome(until: time.bootTime + Self.limit) { () -> Bool? in
            for await _ in redirect.left {}
            return Task.isCancelled ? nil : true
        }
        await close()
        return outcome.value == true
    }

    /// Closes the port.
    func close() async { await listener.close() }
}

/// The sign-in to the AWS console with credentials of a role, through the federation endpoint.
struct ConsoleSignIn {
    let console: RoleConsole
    let transport: any HTTPTransport
    let caFile: String?

    /// Returns the address that signs a browser in. It contains a token that works once, for 15 minutes.
    func address(for credentials: RoleCredentials) async throws(AuthFailure) -> WebURL {
        let host = console.federation.origin.authority
        let session = JSONValue.members(
            ("sessionId", .string(credentials.accessKeyID)), ("sessionKey", .string(credentials.secretAccessKey.reveal())),
            ("sessionToken", .string(credentials.sessionToken.reveal())))
        // The endpoint takes its parameters in the query only.
        guard let url = console.federation.appending(query: [("Action", "getSigninToken"), ("Session", session.text)]) else {
            throw AuthFailure(.bug, text: "the request for the console is too long")
        }
        let answer = try await transport.send(
            WebRequest(method: .get, url: url, headers: [("Accept", "application/json")]), policy: TransportPolicy(caFile: caFile))
        let document = answer.document
        guard answer.status == 200, let token = document?["SigninToken"]?.string, Secret(token).isTokenText else {
            throw AuthFailure(
                answer.status >= 500 || answer.status == 429 ? .unavailable(retryAfter: nil) : .denied(code: String(answer.status)),
                UserMessage("console.sign_in_refused", ["host": host, "status": answer.status]), hint: "hint.check_console_access")
        }
        let query = [
            ("Action", "login"), ("Issuer", console.signIn.text), ("Destination", console.home.text), ("SigninToken", token),
        ]
        guard let login = console.federation.appending(query: query) else {
            throw AuthFailure(.security, text: "\(host) returned a sign-in token that is too long")
        }
        return login
    }
}
