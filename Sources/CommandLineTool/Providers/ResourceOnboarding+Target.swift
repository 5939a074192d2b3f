internal import AuthEngine
internal import AuthModel
internal import Glibc
internal import Localization
internal import OAuth
internal import OperatingSystem
internal import TOML
internal import UserConfiguration

extension ResourceOnboarding {
    /// The target of `yett login`.
    struct Target {
        /// The argument as given, or the name of the provider for the given resource address.
        var argument: String?
        /// Whether the argument was the address of a resource.
        var isResource = false
        /// The change to the configuration that this command made for it; `nil` if it made none.
        var change: Change?
        /// The mark that this command uses the resource, from before its provider is looked for; `nil` if the argument is no address of
        /// one.
        var use: ResourceUse?

        /// A change that is undone if the sign-in fails.
        enum Change {
            case added(ProviderConfiguration)
            case moved(ProviderMove)
        }

        /// Whether the provider is new.
        var isNew: Bool { if case .added = change { true } else { false } }

        /// Whether the provider was moved.
        var isMoved: Bool { if case .moved = change { true } else { false } }
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
        // Before the configuration is read: what it has from now on is not taken away by another sign-in.
        let use = ResourceUse(of: url, in: context)
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
            var target = Target(argument: known.name.text, isResource: true, use: use)
            if known.resources.contains(argument), let found = await AuthorizationServerChange.found(of: known, at: url, in: context) {
                target.change = .moved(try await onboarding.follow(found, known))
            }
            return target
        }
        var finding: DiscoveredResource
        switch try await service(argument, client: client, redirects: redirects, in: context) {
        case .added(let name): return Target(argument: name.text)
        case .resource(let found): finding = found
        case nil: finding = try await ResourceDiscovery(transport: context.edges.transport, time: context.edges.time).resource(at: url)
        }
        finding.chosenScopes = scopes
        // The resource may cover more than the address.
        let resource = finding.metadata.resource
        let wholeUse = resource == url ? use : ResourceUse(of: resource, in: context)
        let addition = try await onboarding.add(finding)
        if addition.added != nil { context.console.note("added: \(addition.name)") }
        return Target(
            argument: addition.name.text, isResource: true, change: addition.added.map(Target.Change.added), use: wholeUse)
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

    /// Undoes what was changed for a failed sign-in, and removes the client that was registered for it, so that the next attempt starts
    /// from the beginning. What another sign-in uses, or another program has changed, stays. Prints a warning for what cannot be undone.
    static func undo(_ target: Target, in context: CommandContext) async {
        guard let change = target.change else { return }
        let written = change.written
        var undone: ProviderConfiguration?
        do throws(AuthFailure) {
            let file = try context.configurationFile()
            var isUsed = false
            let isAlone = try await target.alone { () async throws(AuthFailure) in
                // Not before: another sign-in may have stored its session and ended since.
                let sessions = try await context.service().sessions().filter { $0.name.provider == written.name }
                switch change {
                case .added(let provider):
                    isUsed = !sessions.isEmpty
                    if !isUsed { undone = try file.remove(added: provider) }
                case .moved(let move):
                    isUsed = sessions.contains { $0.issuer == written.issuer?.text }
                    if !isUsed { undone = try file.restore(move.replaced) }
                }
            }
            guard isAlone else { return context.console.note("\(written.name) stays: another sign-in uses it") }
            if isUsed {
                if case .moved(let move) = change { await move.finish(in: context) }
                return
            }
            if let undone { await RegisteredClientRemoval(context: context).remove(undone) }
            context.console.note(change.undone)
        } catch {
            context.console.warning("\(written.name) stays in the configuration: \(error.summary)")
        }
        if undone?.clientID != written.clientID { await RegisteredClientRemoval(context: context).remove(written) }
    }
}

extension ResourceOnboarding.Target {
    /// Runs `body` unless another sign-in uses the provider. Returns whether it ran.
    fileprivate func alone(_ body: () async throws(AuthFailure) -> Void) async throws(AuthFailure) -> Bool {
        guard let use else {
            try await body()
            return true
        }
        return try await use.alone(body)
    }
}

extension ResourceOnboarding.Target.Change {
    /// The provider as this command has written it.
    fileprivate var written: ProviderConfiguration {
        switch self {
        case .added(let provider): provider
        case .moved(let move): move.replaced.written
        }
    }

    /// The note for the user when it is undone.
    fileprivate var undone: String {
        switch self {
        case .added(let provider): "removed again: \(provider.name), because the sign-in failed"
        case .moved(let move): "\(move.replaced.former.name) and its sessions stay as they were, because the sign-in failed"
        }
    }
}

/// Marks the resource of a sign-in as used, for as long as it lives: another process whose sign-in fails then leaves the provider.
final class ResourceUse: Sendable {
    /// The file with a shared lock; -1 if it cannot be opened.
    private let descriptor: Int32

    init(of resource: WebURL, in context: CommandContext) {
        // In a folder of others, the lock could be theirs.
        guard let folder = try? context.directories.state, (try? PrivateFile.makeDirectory(folder, isPrivate: true)) != nil else {
            descriptor = -1
            return
        }
        descriptor = open("\(folder)/resource-\(resource.lockName).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // The lock of one process alone is short.
        while descriptor >= 0, flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
    }

    deinit { if descriptor >= 0 { FileLock.close(descriptor) } }

    /// Runs `body` if no other process uses the resource; none can begin meanwhile. Returns whether it ran.
    func alone(_ body: () async throws(AuthFailure) -> Void) async throws(AuthFailure) -> Bool {
        guard descriptor < 0 || FileLock.take(descriptor) else { return false }
        defer { if descriptor >= 0 { _ = FileLock.take(descriptor, LOCK_SH) } }
        try await body()
        return true
    }
}
