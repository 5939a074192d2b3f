internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import TOML
internal import UserConfiguration

/// What `yett login` signs in to.
extension ResourceOnboarding {
    /// The target of `yett login`.
    struct Target {
        /// The argument as given, or the name of the provider for the given resource address.
        var argument: String?
        /// Whether the argument was the address of a resource.
        var isResource = false
        /// The provider that was just added for it.
        var added: ProviderName?
    }

    /// Finds the provider for the given address of a resource or of a well-known service; adds it if it is not configured yet.
    ///
    /// - Parameters:
    ///   - scopes: the scopes to request of a resource that is added; empty for those that it wants.
    ///   - redirects: the redirect addresses to register.
    ///   - port: the port of the redirect address that is created if `redirects` is empty.
    static func target(
        _ argument: String?, client: ClientOptions, trust: TrustOptions, scopes: [String], redirects: [String], port: Int?,
        in context: CommandContext
    ) async throws -> Target {
        guard let argument, argument.contains("://") else {
            guard redirects.isEmpty else {
                throw AuthFailure(
                    .usage, text: "--redirect needs the URL of a resource",
                    hint: "for a configured provider, set redirect in the configuration")
            }
            guard trust.from == nil else {
                throw AuthFailure(
                    .usage, text: "--from needs the URL of a resource", hint: "for a configured provider, set from in the configuration")
            }
            return Target(argument: argument)
        }
        guard let url = WebURL(argument), url.isRequestable, url.fragment == nil else {
            throw AuthFailure(
                .usage, text: "'\(argument)' is not the URL of a resource",
                hint: "use an https URL; http is allowed for loopback addresses and localhost only")
        }
        let known = try context.configurationFile().read().providers.first {
            $0.resources.contains(argument) || $0.issuer?.text == argument
        }
        let onboarding = ResourceOnboarding(
            name: nil, client: client, trust: trust, scopes: [], redirects: redirects, port: port, context: context)
        if let known {
            guard trust.from == nil || trust.from == known.exchange?.from?.description else {
                throw AuthFailure(
                    .usage, text: "\(known.name) is already the provider for \(argument)",
                    hint: "to replace it, first run: yett providers remove \(ShellWord(known.name))")
            }
            if known.resources.contains(argument), let move = await AuthorizationServerChange.found(of: known, at: url, in: context) {
                try await onboarding.follow(move, known)
            }
            return Target(argument: known.name.text, isResource: true)
        }
        var finding: DiscoveredResource
        switch try await service(argument, client: client, redirects: redirects, in: context) {
        case .added(let name): return Target(argument: name.text)
        case .resource(let found): finding = found
        case nil: finding = try await ResourceDiscovery(transport: context.edges.transport, time: context.edges.time).resource(at: url)
        }
        finding.chosenScopes = scopes
        let before = try context.configurationFile().read()
        let name = try await onboarding.add(finding)
        guard before.provider(name) == nil else { return Target(argument: name.text, isResource: true) }
        context.console.note("added: \(name)")
        return Target(argument: name.text, isResource: true, added: name)
    }

    /// Returns the failure of a sign-in whose provider was removed again: what to do about an entry of the configuration no longer helps.
    static func failure(_ error: any Error, at address: String) -> any Error {
        guard var failure = error as? AuthFailure else { return error }
        if failure.unconfirmedHosts != nil { failure.hint = .verbatim(SignInHostsQuestion.hint(for: address)) }
        guard case .denied(let code) = failure.kind else { return failure }
        switch code {
        case "invalid_scope": failure.hint = .verbatim("choose the scopes: yett login \(ShellWord(address)) --scope SCOPE")
        case "invalid_target":
            failure.hint = .verbatim(
                "add it with: yett providers add \(ShellWord(address)), and set resource_parameter = \"off\" in its section")
        default: break
        }
        return failure
    }

    private enum Service {
        case added(ProviderName)
        case resource(DiscoveredResource)
    }

    /// Adds the well-known service whose address this is, unless it is configured already; `nil` if the address belongs to none.
    private static func service(
        _ address: String, client: ClientOptions, redirects: [String], in context: CommandContext
    ) async throws -> Service? {
        let planner = try ProviderPlanner(context)
        var input = ProviderPlanner.ProviderInput(address)
        input.redirects = redirects
        input.hasClient = context.canAsk || client.namesClient
        input.hasSecret = context.canAsk || client.clientSecretFile != nil || client.register
        guard let found = try planner.service(of: input) else { return nil }
        if let table = try? found.preset.provider(at: found.place) {
            let known = try planner.file.read().providers.first { provider in
                let own = provider.issuer?.text ?? provider.endpoints.authorization?.text
                return own != nil && own == (table["issuer"] ?? table["authorization_endpoint"])?.string
            }
            if let known { return .added(known.name) }
        }
        switch try await planner.plan(try await PresetPrompt(context: context).completed(input, by: planner)) {
        case .resource(let finding): return .resource(finding)
        case .plan(let plan):
            try await ProviderAddition(client: client, context: context).add(plan) { context.console.note("added: \($0)") }
            return .added(plan.name)
        }
    }

    /// Removes a provider that was added for a failed sign-in, and the client that was registered for it, so that the next attempt starts
    /// from the beginning. Prints a warning for what cannot be undone.
    static func undoAdding(_ name: ProviderName, in context: CommandContext) async {
        do throws(AuthFailure) {
            let file = try context.configurationFile()
            let provider = try file.read().named(name.text)
            guard try await context.service().sessions().allSatisfy({ $0.name.provider != name }) else { return }
            try file.remove(name)
            await RegisteredClientRemoval(context: context).remove(provider)
            context.console.note("removed again: \(name), because the sign-in failed")
        } catch {
            context.console.warning("\(name) stays in the configuration: \(error.summary)")
        }
    }
}
