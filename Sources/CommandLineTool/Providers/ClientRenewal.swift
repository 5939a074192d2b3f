internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import TOML
internal import UserConfiguration

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
        var discovery = Discovery(transport: context.edges.transport, time: context.edges.time, caFile: provider.caFile)
        discovery.dialect = provider.dialect
        let metadata = try await discovery.find(issuer, kind: provider.kind).metadata
        var plan = ProviderPlan(
            name: provider.name, kind: provider.kind, issuer: issuer, metadata: metadata,
            scopes: ScopeSet(registered.values + scopes.values).values, redirects: provider.redirects.map(\.description))
        plan.postLogoutRedirects = provider.postLogoutRedirects.map(\.description)
        let registrar = ClientRegistrar(
            transport: context.edges.transport, time: context.edges.time, service: service, caFile: provider.caFile)
        let client = try await plan.register(with: registrar)
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
        if let engine = service as? Engine { await engine.configure(configuration.providers) }
        if tells { context.console.note("registered again at \(issuer.url.origin.authority) as \(client.clientID)") }
        return try configuration.named(provider.name.text)
    }
}
