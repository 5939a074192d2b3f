internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// The options that select the OAuth client; shared by all commands that add a provider.
struct ClientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The ID of the client that is registered at the provider.", valueName: "id"))
    var clientID: String?

    @Flag(help: "Register a new client at the provider (RFC 7591); again, if it no longer knows the client that yett registered.")
    var register = false

    @Option(help: ArgumentHelp("The URL of a client metadata document, which is also its client_id.", valueName: "url"))
    var clientMetadata: String?

    @Option(help: ArgumentHelp("A file with the client secret.", valueName: "file"))
    var clientSecretFile: String?

    /// Whether none of the options is given.
    var isEmpty: Bool { !register && [clientID, clientMetadata, clientSecretFile].allSatisfy { $0 == nil } }

    func validate() throws {
        guard [clientID != nil, register, clientMetadata != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("--client-id, --register and --client-metadata cannot be combined")
        }
    }
}

/// Determines the OAuth client for a provider: the given ID, a metadata document, a new registration, or an ID that the user enters.
struct ClientSource {
    let options: ClientOptions
    let context: CommandContext

    /// Returns the client ID. If it registers a client, keeps in the plan only the post-logout redirects that the provider registered.
    func settle(_ plan: inout ProviderPlan) async throws -> String {
        if plan.choosesClient {
            guard options.isEmpty else {
                throw AuthFailure(.usage, text: "\(plan.host) sets the client itself", hint: "remove the client options")
            }
            return ""
        }
        if let clientID = options.clientID, !clientID.isEmpty { return clientID }
        if let text = options.clientMetadata { return try document(text, plan.metadata, host: plan.host) }
        if options.register { return try await register(&plan) }
        guard context.canAsk else {
            throw AuthFailure(
                .usage, text: "--client-id is missing",
                hint: plan.canRegister
                    ? "add --register to register a client at \(plan.host), or give the client that you have"
                    : "give the ID of the client that is registered for you at the provider")
        }
        if plan.canRegister {
            context.console.ask("\(plan.host) supports client registration. Register a client? [y/N]")
            let line = await context.edges.streams.line()?.trimmed.lowercased()
            if line == "y" || line == "yes" { return try await register(&plan) }
        }
        context.console.ask("client_id from the provider:")
        guard let line = await context.edges.streams.line()?.trimmed, !line.isEmpty else {
            throw AuthFailure(.cancelled, text: "no client_id was given")
        }
        return String(line)
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
        let client = try await plan.register(with: context.clientRegistrar())
        context.console.note("registered at \(plan.host) as \(client.clientID)")
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
