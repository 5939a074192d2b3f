internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Which client we are at a provider: options that everything which adds a provider has in common.
struct ClientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The client that is registered at the provider.", valueName: "id"))
    var clientID: String?

    @Flag(help: "Register a client of your own there (RFC 7591).")
    var register = false

    @Option(help: ArgumentHelp("The address of a client's metadata, which is its client_id as well.", valueName: "url"))
    var clientMetadata: String?

    @Option(help: ArgumentHelp("A file with the client secret.", valueName: "file"))
    var clientSecretFile: String?

    func validate() throws {
        guard [clientID != nil, register, clientMetadata != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("--client-id, --register and --client-metadata exclude each other")
        }
    }
}

/// Settles which client we are at a provider: the one given, one described by a document, one registered now, or the one a person names.
struct ClientSource {
    let options: ClientOptions
    let redirects: [String]
    let scopes: [String]
    let context: CommandContext

    /// The client identifier.
    ///
    /// - Parameter metadata: `nil` where the provider was not asked, or has none.
    func settle(_ metadata: ProviderMetadata?, host: String) async throws -> String {
        if let clientID = options.clientID, !clientID.isEmpty { return clientID }
        if let text = options.clientMetadata { return try document(text, metadata, host: host) }
        if options.register { return try await register(metadata, host: host) }
        let canRegister = metadata?.registrationEndpoint != nil
        guard context.canAsk else {
            throw AuthFailure(
                .usage, "--client-id is missing",
                hint: canRegister
                    ? "\(host) lets programs register themselves: add --register, or give the client you have"
                    : "it is the client that is registered for you at the provider")
        }
        if canRegister {
            context.console.ask("\(host) lets programs register themselves. Register one? [y/N]")
            let line = await context.edges.streams.line()?.trimmed.lowercased()
            if line == "y" || line == "yes" { return try await register(metadata, host: host) }
        }
        context.console.ask("Which client_id did the provider give you?")
        guard let line = await context.edges.streams.line()?.trimmed, !line.isEmpty else {
            throw AuthFailure(.cancelled, "no client_id was given")
        }
        return String(line)
    }

    private func document(_ text: String, _ metadata: ProviderMetadata?, host: String) throws(AuthFailure) -> String {
        guard ClientIDDocument.url(text) != nil else {
            throw AuthFailure(
                .usage, "'\(text)' cannot be the address of a client's metadata",
                hint: "it is an https URL with a path, and without a query")
        }
        guard metadata?.takesClientIDDocuments != false else {
            throw AuthFailure(
                .configuration, "\(host) does not take clients that are described by a document",
                hint: metadata?.registrationEndpoint != nil
                    ? "add --register instead" : "give a client that is registered there: --client-id ID")
        }
        return text
    }

    private func register(_ metadata: ProviderMetadata?, host: String) async throws -> String {
        guard let metadata, metadata.registrationEndpoint != nil else {
            throw AuthFailure(
                .configuration, "\(host) does not let programs register themselves",
                hint: "register one there by hand, and give --client-id ID")
        }
        let registration = ClientRegistration(
            name: "Yett", redirectURIs: redirects.isEmpty ? [RedirectRule.standard.description] : redirects, scopes: ScopeSet(scopes),
            grantTypes: grantTypes(metadata))
        let client = try await context.clientRegistrar().register(registration, at: metadata)
        context.console.note("registered at \(host) as \(client.clientID)")
        if redirects.isEmpty {
            // RFC 8252 section 7.3 makes any port do; some providers compare it all the same, and nothing tells beforehand which.
            context.console.note("  if \(host) refuses the redirect address when you sign in, it compares ports:")
            context.console.note("  remove the provider, and add it again with --redirect http://127.0.0.1:8400/callback")
        }
        return client.clientID
    }

    private func grantTypes(_ metadata: ProviderMetadata) -> [String] {
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        let offersDevice = metadata.deviceAuthorizationEndpoint != nil && metadata.grantTypes?.contains(device) != false
        return ["authorization_code", "refresh_token"] + (offersDevice ? [device] : [])
    }
}

extension CommandContext {
    /// What registers clients. The keeper is unlocked for it: it seals what a registration is managed with.
    func clientRegistrar() async throws(AuthFailure) -> ClientRegistrar {
        ClientRegistrar(transport: edges.transport, time: edges.time, keeper: try await unlockedKeeper())
    }
}
