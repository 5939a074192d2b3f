internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import TOML

/// Registers a client again that Yett registered before: where the server forgot it, or where it needs more scopes.
struct ClientRenewal {
    let context: CommandContext
    let service: any SessionService
    /// Whether it says on the console what was done. Not while the screen is the app's.
    var tells = true

    /// Registers a client like the one that is configured, and writes it into the configuration.
    ///
    /// The older registration is left as it is: the tokens of a session may still stand on it.
    /// - Parameter scopes: what it is to be registered for beside what it was.
    /// - Returns: the provider with its new client.
    /// - Throws: `.configuration` for a client that was registered by hand.
    func renew(_ provider: ProviderConfiguration, adding scopes: ScopeSet = []) async throws(AuthFailure) -> ProviderConfiguration {
        guard let registered = provider.registeredScopes, let issuer = provider.issuer else {
            throw AuthFailure(
                .configuration, "the client of \(provider.name) was registered by hand",
                hint: "register it there for what is needed, and correct client_id in [providers.\(provider.name)]")
        }
        let discovery = Discovery(transport: context.edges.transport, time: context.edges.time, caFile: provider.caFile)
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
        } isMeant: { changed in
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
