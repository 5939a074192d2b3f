internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import TOML
internal import UserConfiguration

/// The options that select the OAuth client; shared by all commands that add a provider.
struct ClientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The ID of the client that is registered at the provider.", valueName: "id"))
    var clientID: String?

    @Flag(help: "Register a new client at the provider (RFC 7591); again, if it no longer knows the client that yett registered.")
    var register = false

    @Option(
        help: ArgumentHelp(
            "The URL of a client metadata document, which is also its client_id; with --register, only where the provider accepts it.",
            valueName: "url"))
    var clientMetadata: String?

    @Option(help: ArgumentHelp("A file with the client secret.", valueName: "file"))
    var clientSecretFile: String?

    /// Whether none of the options is given.
    var isEmpty: Bool { !namesClient && clientSecretFile == nil }

    /// Whether an option says which client to use.
    var namesClient: Bool { register || clientID != nil || clientMetadata != nil }

    func validate() throws {
        guard clientID == nil || !register && clientMetadata == nil else {
            throw ValidationError("--client-id cannot be combined with --register or --client-metadata")
        }
    }
}

/// Determines the OAuth client for a provider: the given ID, a metadata document, a new registration, or an ID that the user enters.
struct ClientSource {
    let options: ClientOptions
    let context: CommandContext

    /// The client ID that needs no question: a preset may have one for all users.
    private func givenClientID(_ plan: ProviderPlan) -> String? {
        if let clientID = options.clientID, !clientID.isEmpty { return clientID }
        return options.register || options.clientMetadata != nil ? nil : plan.table["client_id"]?.string
    }

    /// The URL of the given client metadata document. With `--register` it is used where it takes the place of a registration.
    private func givenDocument(_ plan: ProviderPlan) -> String? {
        options.register && !replacesRegistration(plan) ? nil : options.clientMetadata
    }

    /// The URL of the configured client metadata document, if the provider accepts it and no option names a client.
    private func configuredDocument(_ plan: ProviderPlan) -> String? {
        guard options.isEmpty, replacesRegistration(plan) else { return nil }
        return (try? context.configurationFile().read())?.clientDocument?.text
    }

    /// Whether a client metadata document with its own redirect addresses can take the place of a registration.
    private func replacesRegistration(_ plan: ProviderPlan) -> Bool {
        plan.acceptsClientDocument && plan.redirects.isEmpty && plan.pasteRedirect == nil
    }

    /// Whether the client will be registered without a question.
    private func registers(_ plan: ProviderPlan) -> Bool {
        options.register || options.clientMetadata == nil && plan.preset?.needs.registersClient == true && plan.canRegister
    }

    /// Whether ``complete(_:)`` asks the user for the ID of a client.
    func asks(for plan: ProviderPlan) -> Bool {
        context.canAsk && !plan.choosesClient && givenClientID(plan) == nil && options.clientMetadata == nil
            && configuredDocument(plan) == nil && !registers(plan)
    }

    /// Returns the client ID. If it registers a client, keeps in the plan only the post-logout redirects that the provider registered.
    func complete(_ plan: inout ProviderPlan) async throws -> String {
        if plan.choosesClient {
            guard options.isEmpty else {
                throw AuthFailure(.usage, text: "\(plan.host) sets the client itself", hint: "remove the client options")
            }
            return ""
        }
        if let clientID = givenClientID(plan) { return clientID }
        if let text = givenDocument(plan) { return try document(text, plan.metadata, host: plan.host) }
        if let document = configuredDocument(plan) {
            context.console.note("the client at \(plan.host) is \(document)")
            return document
        }
        if registers(plan) { return try await register(&plan) }
        guard context.canAsk else {
            throw AuthFailure(
                .usage, text: "--client-id is missing",
                hint: plan.canRegister
                    ? "add --register to register a client at \(plan.host), or give the client that you have"
                    : "give the ID of the client that is registered for you at the provider")
        }
        if plan.canRegister, await context.agrees(to: "\(plan.host) supports client registration. Register a client?") {
            return try await register(&plan)
        }
        if plan.resource != nil, !plan.registered.isEmpty {
            context.console.note("create a client at \(plan.host) with this redirect address:")
            for address in plan.registered { context.console.note("  \(address)") }
        }
        context.console.ask("Client ID:")
        guard let line = await context.edges.streams.line()?.trimmed, !line.isEmpty else {
            throw AuthFailure(.cancelled, text: "no client ID was given")
        }
        return String(line)
    }

    /// Returns the path of the file with the client secret: the given one, or, where clients have secrets, the one that the user enters;
    /// `nil` for none.
    func secretFile(for plan: ProviderPlan) async throws(AuthFailure) -> String? {
        if let file = options.clientSecretFile {
            // In the configuration, a relative path starts at the folder of the configuration.
            return FileStatus.exists(absolute(file)) ? absolute(file) : file
        }
        let wanted: ProviderPreset.Needs.Secret = plan.preset?.needs.secret ?? (plan.mayNeedSecret ? .optional : .none)
        guard wanted != .none, context.canAsk, !plan.registersClient, !registers(plan), plan.table["client_secret_file"] == nil,
            plan.table["client_secret_command"] == nil
        else { return nil }
        while true {
            context.console.ask("File with the client secret\(wanted == .optional ? " (Enter: none)" : ""):")
            guard let line = await context.edges.streams.line()?.trimmed, !line.isEmpty || wanted == .optional else {
                throw AuthFailure(.cancelled, text: "no client secret was given")
            }
            if line.isEmpty { return nil }
            let path = absolute(String(line))
            do throws(AuthFailure) {
                if try PrivateFile.readSecret(path) != nil { return path }
                context.console.note("There is no file \(path).")
            } catch {
                context.console.failure(error)
            }
        }
    }

    /// Returns the path of a file that the user named: `~/` means the home folder, and a relative path starts at the working folder.
    private func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        if path.hasPrefix("~/"), let home = context.directories.home { return home + path.dropFirst() }
        return context.edges.workingDirectory + "/" + path
    }

    private func document(_ text: String, _ metadata: ProviderMetadata?, host: String) throws(AuthFailure) -> String {
        guard ClientIDDocument.url(text) != nil else {
            throw AuthFailure(
                .usage, text: "'\(text)' is not a valid client metadata URL",
                hint: "use an https URL with a path and without a query")
        }
        guard metadata?.supportsClientIDDocuments != false else {
            throw AuthFailure(
                .configuration, text: "\(host) does not support client metadata documents",
                hint: metadata?.registrationEndpoint != nil
                    ? "use --register instead" : "give a client that is registered there: --client-id ID")
        }
        return text
    }

    private func register(_ plan: inout ProviderPlan) async throws -> String {
        let wanted = plan.scopes
        let client = try await plan.register(with: context.clientRegistrar())
        plan.narrow(to: client.scopes)
        context.console.note("registered at \(plan.host) as \(client.clientID)")
        let refused = wanted.filter { !plan.scopes.contains($0) }
        if !refused.isEmpty { context.console.note("  \(plan.host) does not give this client: \(refused.joined(separator: " "))") }
        for address in plan.postLogoutRedirects where !client.postLogoutRedirectURIs.contains(address) {
            context.console.warning("\(plan.host) did not register \(address) for the return after signing out; it is not configured")
        }
        plan.postLogoutRedirects = client.postLogoutRedirectURIs
        return client.clientID
    }
}

extension CommandContext {
    /// Returns a registrar for clients. Unlocks the session service, which seals the credentials that manage a registration.
    func clientRegistrar() async throws(AuthFailure) -> ClientRegistrar {
        ClientRegistrar(transport: edges.transport, time: edges.time, service: try await unlockedService(forNewSession: true))
    }
}

extension ProviderPlan {
    /// Registers the client.
    ///
    /// Reserves the port during the registration, so that the registered address can be used. If the provider refuses the redirect address,
    /// registers `localhost` in its place; if it refuses the scopes that a resource may ask for later, those of the sign-in alone.
    ///
    /// - Parameter needsScopes: whether a client without the requested scopes is of no use.
    mutating func register(with registrar: ClientRegistrar, needsScopes: Bool = false) async throws(AuthFailure) -> RegisteredClient {
        registersClient = true
        var reservedPort: ReservedPort?
        if choosesRedirect {
            let port = try ReservedPort.reserve(port)
            self.port = port.number
            reservedPort = port
        }
        defer { withExtendedLifetime(reservedPort) {} }
        let client: RegisteredClient
        do throws(AuthFailure) {
            client = try await registered(by: registrar)
        } catch {
            guard error.isRefusal else { throw error }
            if error.kind == .denied(code: "invalid_redirect_uri"), choosesRedirect {
                client = try await registeredAtLocalhost(by: registrar, after: error)
            } else {
                client = try await registeredWithFewerScopes(by: registrar, after: error, needsScopes: needsScopes)
            }
        }
        requiresProof = requiresProof || client.requiresProof
        return client
    }

    /// Registers `localhost` in place of the address: some servers compare the name alone. Throws the first refusal if that is refused too.
    private mutating func registeredAtLocalhost(
        by registrar: ClientRegistrar, after refusal: AuthFailure
    ) async throws(AuthFailure) -> RegisteredClient {
        let own = redirectHost
        redirectHost = "localhost"
        do throws(AuthFailure) { return try await registered(by: registrar) } catch {
            redirectHost = own
            throw error.isRefusal ? refusal : error
        }
    }

    /// Registers without the scopes that a resource may ask for later, then with those that the server gives a client by itself: Keycloak
    /// before 26.4 lets no client choose openid.
    private mutating func registeredWithFewerScopes(
        by registrar: ClientRegistrar, after refusal: AuthFailure, needsScopes: Bool
    ) async throws(AuthFailure) -> RegisteredClient {
        if !laterScopes.isEmpty {
            laterScopes = []
            do throws(AuthFailure) { return try await registered(by: registrar) } catch { guard error.isRefusal else { throw error } }
        }
        guard !needsScopes, case .denied(let code) = refusal.kind, Self.scopeRefusals.contains(code ?? "") else { throw refusal }
        return try await registered(by: registrar, choosesScopes: false)
    }

    private static let scopeRefusals: Set = ["insufficient_scope", "invalid_client_metadata", "invalid_scope"]

    private func registered(by registrar: ClientRegistrar, choosesScopes: Bool = true) async throws(AuthFailure) -> RegisteredClient {
        var (registration, metadata) = try registration()
        if !choosesScopes { registration.scopes = [] }
        return try await registrar.register(registration, at: metadata)
    }
}

extension AuthFailure {
    /// Whether a server refused the request with an error of its own.
    fileprivate var isRefusal: Bool { if case .denied = kind { true } else { false } }
}

/// Registers a client again if the server deleted it or if it needs more scopes. Only for clients that Yett registered.
struct ClientRenewal {
    let context: CommandContext
    let service: any SessionService
    /// Whether to print the result on the console. Must be false while the app uses the screen.
    var tells = true

    /// Registers a client with the configured client's properties, and writes it into the configuration.
    ///
    /// Leaves the older registration in place, because the tokens of a session may still depend on it.
    /// - Parameter scopes: scopes to register in addition to the present ones.
    /// - Returns: the provider with its new client.
    /// - Throws: `.configuration` if the client was registered by hand.
    func renew(_ provider: ProviderConfiguration, adding scopes: ScopeSet = []) async throws(AuthFailure) -> ProviderConfiguration {
        guard let registered = provider.registeredScopes, let issuer = provider.issuer else {
            throw AuthFailure(
                .configuration, text: "the client of \(provider.name) was registered by hand",
                hint: "register a new client there, and set its client_id in [providers.\(provider.name)]")
        }
        var metadata: ProviderMetadata
        do throws(AuthFailure) {
            metadata = try await NetworkDiscovery(context).metadata(of: provider)
        } catch {
            let known = ProviderMetadata.withoutDocument(at: issuer)
            guard error.isMissingDocument, provider.endpoints.token == known.tokenEndpoint else { throw error }
            metadata = known
        }
        if metadata.registrationEndpoint == nil { metadata.registrationEndpoint = try await confirmedRegistrationEndpoint(of: provider) }
        var plan = ProviderPlan(
            name: provider.name, kind: provider.kind, issuer: issuer, metadata: metadata,
            scopes: ScopeSet(registered.values + scopes.values).values, redirects: provider.redirects.map(\.description))
        plan.postLogoutRedirects = provider.postLogoutRedirects.map(\.description)
        let registrar = ClientRegistrar(
            transport: context.edges.transport, time: context.edges.time, service: service, caFile: provider.caFile)
        let client = try await plan.register(with: registrar, needsScopes: true)
        let file = try context.configurationFile()
        let (table, known) = (["providers", provider.name.text], plan.scopes)
        try file.change { (editor, _) throws(AuthFailure) in
            do throws(TOMLError) {
                try editor.set("client_id", in: table, to: TOMLText.quoted(client.clientID))
                try editor.set("registered_scopes", in: table, to: TOMLText.list(known))
            } catch {
                throw AuthFailure(error, in: file.path)
            }
        } isIntended: { changed in
            let written = changed.provider(provider.name)
            return written?.clientID == client.clientID && written?.registeredScopes == ScopeSet(known)
        }
        let configuration = try file.read()
        // The agent reads the file by itself.
        if let engine = service as? Engine { engine.configure(configuration.providers) }
        if tells { context.console.note("registered again at \(issuer.url.origin.authority) as \(client.clientID)") }
        return try configuration.named(provider.name.text)
    }

    /// Returns where clients are registered for the resource of a provider whose own metadata do not say it, after a question: what the
    /// resource names today may be another place than at the first registration.
    private func confirmedRegistrationEndpoint(of provider: ProviderConfiguration) async throws(AuthFailure) -> WebURL? {
        guard let endpoint = await registrationEndpoint(of: provider), let resource = provider.resources.first else { return nil }
        guard tells, context.canAsk else {
            throw AuthFailure(
                .configuration, text: "a new client of \(provider.name) would be registered at \(endpoint), and you have not confirmed it",
                hint: "if that is right, run at a terminal: yett login \(provider.name) --register")
        }
        context.console.note("\(resource) names \(endpoint) for the registration of a new client")
        guard await context.agrees(to: "Register there?") else { throw AuthFailure(.cancelled, text: "no client was registered") }
        return endpoint
    }

    /// Returns where clients are registered for the resource of a provider whose own metadata do not say it.
    private func registrationEndpoint(of provider: ProviderConfiguration) async -> WebURL? {
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: context.edges.time, caFile: provider.caFile)
        guard let url = provider.resources.first.flatMap(WebURL.init), let finding = try? await discovery.find(url, challenge: nil),
            let presets = try? context.configurationFile().presets()
        else { return nil }
        let planner = ResourcePlanner(discovery: NetworkDiscovery(context), presets: presets)
        for server in finding.metadata.authorizationServers {
            if let endpoint = await planner.registrationEndpoint(of: provider, at: server) { return endpoint }
        }
        return nil
    }
}
