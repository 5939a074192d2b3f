internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import UserConfiguration

/// A protected resource that accepts tokens of another authorization server than the configured one (RFC 9728).
struct AuthorizationServerChange {
    /// The authorization server that the provider is configured for.
    let issuer: Issuer
    /// The resource with its current metadata.
    let finding: DiscoveredResource

    /// The keys of a provider that stay when its authorization server changes: those that the user set for this machine.
    static let keptKeys: Set = [
        "sign_in", "policy", "browser", "private", "login_timeout", "session_lifetime", "sign_in_label", "sign_up_label", "ca_file",
        "api_hosts", "dpop", "par",
    ]

    /// Reads the metadata of a provider's resource again. Returns `nil` if the resource still names the provider's authorization server, if
    /// it names none, or if it cannot be asked.
    ///
    /// - Parameters:
    ///   - challenge: the challenge of a refused request; `nil` to send a request without a token first.
    ///   - isCalled: whether to send that request. Without it, only the well-known locations are asked.
    static func found(
        of provider: ProviderConfiguration, at url: WebURL, after challenge: Challenge? = nil, calling isCalled: Bool = true,
        in context: CommandContext
    ) async -> AuthorizationServerChange? {
        // The sessions of a machine are as the user configured them.
        guard let issuer = provider.issuer, provider.resources.count == 1,
            provider.exchange.map({ $0.grant == .identityGrant }) ?? true
        else { return nil }
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: context.edges.time, caFile: provider.caFile)
        let finding: DiscoveredResource? =
            if challenge != nil || !isCalled {
                try? await discovery.find(url, challenge: challenge)
            } else {
                try? await discovery.resource(at: url)
            }
        guard let finding, !finding.metadata.isAssumed, provider.resources.contains(finding.metadata.resource.text),
            !finding.metadata.authorizationServers.isEmpty, !finding.metadata.authorizationServers.contains(where: issuer.isSameURL)
        else { return nil }
        // A gateway in front of it may be named in its place. Only a sign-in asks servers that were not asked before.
        let isSignIn = challenge == nil && isCalled
        for server in finding.metadata.authorizationServers
        where server.url.origin == url.origin || isSignIn && server.mayBeAsked(for: url) {
            if await NetworkDiscovery(context).issuer(namedBy: server) == issuer { return nil }
        }
        return AuthorizationServerChange(issuer: issuer, finding: finding)
    }

    /// The failure of a request whose token the resource no longer accepts. Only the user can decide whether to trust the other
    /// authorization server (RFC 9728 section 7.6).
    var failure: AuthFailure {
        let (host, named) = (finding.called.origin.authority, finding.metadata.authorizationServers.map(\.text))
        return AuthFailure(
            .signInAgain, text: "\(host) no longer accepts tokens from \(issuer); it now names \(named.joined(separator: ", "))",
            hint: "if that is right, confirm it at a terminal: yett login \(ShellWord(finding.called.text))")
    }
}

/// A provider that this command has moved to another authorization server, until it is certain that the user signs in there.
struct ProviderMove {
    let replaced: ReplacedProvider
    /// The sessions at the former server.
    let sessions: [SessionSummary]

    /// Ends the sessions and deletes the client at the former server, after a sign-in at the new one.
    func finish(in context: CommandContext) async {
        do throws(AuthFailure) {
            let service = try await context.unlockedService()
            let left = try await service.sessions().filter { session in
                sessions.contains { $0.name == session.name && $0.issuer == session.issuer }
            }
            for session in left {
                let receipt = try await service.signOut(session.name, mode: .revoke)
                guard !receipt.isComplete else { continue }
                let issuer = session.issuer ?? "its former server"
                context.console.warning("a token of \(session.name) at \(issuer) may stay valid until it expires")
            }
        } catch {
            context.console.warning("could not sign out at \(replaced.former.name)'s former server: \(error.summary)", hint: error.hintText)
        }
        await RegisteredClientRemoval(context: context).remove(replaced.former)
    }
}

/// The sessions at a company's identity provider that give access to resources of others, without a page (ID-JAG).
struct IdentityProviderSessions {
    let context: CommandContext

    /// Returns the session that gives access to the resources of an authorization server, with the server's metadata; `nil` if the user
    /// signs in there.
    ///
    /// Without a name, it is the only session whose provider announces that it issues such grants, if the server announces that it accepts
    /// them.
    /// - Parameter name: the session or provider that the user named. Then neither has to announce anything.
    func session(for issuer: Issuer, named name: String?) async throws -> (session: SessionName, metadata: ProviderMetadata)? {
        let discovery = NetworkDiscovery(context)
        let probe = ProviderConfiguration(name: try ProviderName(for: issuer.url.origin), kind: .exchange, issuer: issuer, clientID: "")
        if let name {
            let session = try SessionName(argument: name)
            let provider = try context.configurationFile().read().named(session.provider.text)
            guard provider.kind == .oidc else {
                throw AuthFailure(
                    .configuration, UserMessage("exchange.base_issues_no_grants", ["provider": provider.name]),
                    hint: "hint.exchange_from_openid")
            }
            return (session, try await discovery.serverMetadata(of: probe))
        }
        let companies = try context.configurationFile().read().providers.filter { $0.kind == .oidc && $0.issuer != issuer }
        guard !companies.isEmpty, let metadata = try await Self.published(by: probe, discovery), metadata.acceptsIdentityGrants else {
            return nil
        }
        let known = Set(try await context.service().sessions().filter { !$0.isAnonymousGuest }.map(\.name.provider))
        var issuing: [ProviderName] = []
        var unreachable: AuthFailure?
        for company in companies where known.contains(company.name) {
            do throws(AuthFailure) {
                if try await Self.published(by: company, discovery)?.issuesIdentityGrants == true { issuing.append(company.name) }
            } catch {
                unreachable = error
            }
        }
        guard let first = issuing.first else {
            // The provider that is added now would stay without the company's access.
            if let unreachable { throw unreachable }
            return nil
        }
        guard issuing.count == 1 else {
            throw AuthFailure(
                .usage, text: "several of your sessions may give access to it: \(issuing.map(\.text).joined(separator: ", "))",
                hint: "choose one: --from \(ShellWord(first))")
        }
        guard let session = SessionName(first.text) else { return nil }
        return (session, metadata)
    }

    /// Returns a provider's metadata; `nil` if it publishes none. Throws if the provider is unreachable or has a fault, so that this is
    /// unknown.
    private static func published(
        by provider: ProviderConfiguration, _ discovery: NetworkDiscovery
    ) async throws(AuthFailure) -> ProviderMetadata? {
        do throws(AuthFailure) { return try await discovery.serverMetadata(of: provider) } catch {
            let isUnknown = error.retryPolicy != .none || error.message.code == "http.server_error"
            if isUnknown || error.kind == .timedOut || error.kind == .cancelled { throw error }
            return nil
        }
    }
}
