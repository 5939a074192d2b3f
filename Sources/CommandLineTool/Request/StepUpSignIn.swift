internal import ArgumentParser
internal import AuthModel
internal import OAuth

/// A sign-in that a resource asked for (RFC 9470): the same account, in the way that is wanted, and held to it afterwards.
struct StepUpSignIn {
    let session: SessionSummary
    let provider: ProviderConfiguration
    let service: any SessionService
    let context: CommandContext

    /// Throws `.cancelled` where the person wants no more scopes, `.security` where somebody else signed in, of whom nothing is kept, or
    /// the same person not in the way that is wanted.
    func run(_ wanted: StepUp) async throws(AuthFailure) {
        context.console.note("the resource wants another sign-in: \(wanted.reason.line)")
        try await consent(to: wanted)
        let provider = try await registered(for: wanted)
        let renewed = try await SignInRun(options: try options(), purpose: .signIn, context: context)
            .follow(try await request(wanted), at: provider, with: service)
        try requireSamePerson(renewed)
        try check(wanted, try await service.session(session.name).identity)
    }

    /// A resource that asks for scopes gets a token with them, and the session keeps them: a person at the terminal is asked first (RFC
    /// 9700 section 2.3).
    private func consent(to wanted: StepUp) async throws(AuthFailure) {
        let added = wanted.scopes.values.filter { !session.scopes.contains($0) && !provider.scopes.contains($0) }
        guard !added.isEmpty else { return }
        context.console.note("it wants scopes that \(session.name) does not have: \(added.joined(separator: ", "))")
        guard context.canAsk else { return }
        context.console.ask("Ask \(provider.name) for them? [y/N]")
        guard let line = await context.edges.streams.line(), ["y", "yes"].contains(line.trimmed.lowercased()) else {
            throw AuthFailure(
                .cancelled, "\(session.name) was given no more scopes", hint: "the request needs them; ask whoever runs the resource why")
        }
    }

    /// The provider, with a client that is registered for the scopes that are wanted, where Yett registered it: many servers give a client
    /// no others.
    private func registered(for wanted: StepUp) async throws(AuthFailure) -> ProviderConfiguration {
        guard let registered = provider.registeredScopes, wanted.scopes.values.contains(where: { !registered.contains($0) }) else {
            return provider
        }
        return try await ClientRenewal(context: context, service: service).renew(provider, adding: wanted.scopes)
    }

    /// The same again, where a resource no longer takes what is there, in its own way.
    ///
    /// - Parameter reason: the resource's word for why.
    func repeated(because reason: String) async throws(AuthFailure) {
        context.console.note("the resource wants a new sign-in: \(reason)")
        let request = SignInRequest(provider: provider.name, account: session.name.account)
        try requireSamePerson(
            try await SignInRun(options: try options(), purpose: .signIn, context: context).follow(request, at: provider, with: service))
    }

    private func requireSamePerson(_ renewed: SessionSummary) throws(AuthFailure) {
        let isSame = (renewed.subject ?? "").hasSameBytes(as: session.subject ?? "")
        guard isSame, renewed.name == session.name else {
            throw AuthFailure(
                .denied(code: nil), "somebody else signed in: \(renewed.name), where the request is for \(session.name)",
                hint: "try again, and choose the account of \(session.name)")
        }
    }

    /// A challenge that names neither class nor age wants a new sign-in. Whatever is wanted, the tokens are for what the session's are for.
    private func request(_ wanted: StepUp) async throws(AuthFailure) -> SignInRequest {
        let detail = try await service.session(session.name)
        let identity = detail.identity
        let needsNew = wanted.contextClasses.isEmpty && wanted.maxAge == nil && wanted.scopes.isEmpty
        let scopes = wanted.scopes.isEmpty ? [] : provider.scopes.values + session.scopes.values + wanted.scopes.values
        return SignInRequest(
            provider: provider.name, account: session.name.account, scopes: ScopeSet(scopes),
            loginHint: identity.text("preferred_username") ?? identity.text("email"), prompt: needsNew ? "login" : nil,
            maxAge: wanted.maxAge,
            acrValues: wanted.contextClasses.isEmpty ? nil : wanted.contextClasses.joined(separator: " "),
            resources: detail.resources)
    }

    private func options() throws(AuthFailure) -> LoginOptions {
        do { return try LoginOptions.parse([]) } catch { throw AuthFailure(.bug, "the options of a sign-in cannot be made") }
    }

    /// What the provider says of the sign-in must be what was asked for: `acr_values` is a wish that it may pass over. What it does not say
    /// was not shown; only where it says nothing of people at all, in plain OAuth, the judgement is left to the resource.
    private func check(_ wanted: StepUp, _ identity: Identity) throws(AuthFailure) {
        let claims = identity.idTokenClaims
        guard provider.kind == .oidc || claims.members?.isEmpty == false else { return }
        do throws(OAuthError) {
            try wanted.check(claims, host: provider.issuer?.url.origin.authority, now: context.now)
        } catch {
            throw error.failure
        }
    }
}
