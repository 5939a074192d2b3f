internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import TerminalApp
internal import TOML
internal import UserConfiguration

/// Adds providers for the app, with the same plans as `yett providers add`.
struct AppOnboarding {
    let context: CommandContext
    let file: ConfigurationFile
    let service: any SessionService

    var edge: ProviderOnboarding {
        ProviderOnboarding(
            presets: ServiceChoices { [file] in ((try? file.presets())?.presets ?? []).flatMap(\.choices) },
            find: { (draft) throws(AuthFailure) in try await find(draft) }, add: { (offer) throws(AuthFailure) in try await add(offer) },
            renewClient: { (name) throws(AuthFailure) in try await renewClient(name) })
    }

    private func renewClient(_ name: ProviderName) async throws(AuthFailure) -> Bool {
        let provider = try file.read().named(name.text)
        guard provider.registeredScopes != nil else { return false }
        _ = try await ClientRenewal(context: context, service: service, tells: false).renew(provider)
        return true
    }

    private func find(_ draft: ProviderDraft) async throws(AuthFailure) -> ProviderFinding {
        switch try await plan(draft) {
        case .plan(let plan, let warnings): .offer(try offer(plan, draft, warnings))
        case .servers(let resource, let servers): .servers(of: resource, servers.map(\.text))
        }
    }

    /// Plans again and compares, so that only what the user confirmed is written.
    private func add(_ offer: ProviderOffer) async throws(AuthFailure) -> ProviderName {
        guard case .plan(var plan, let warnings) = try await plan(offer.draft), try self.offer(plan, offer.draft, warnings) == offer
        else {
            throw AuthFailure(
                .security, UserMessage("provider.changed_since_confirmed", ["provider": offer.name]), hint: "hint.review_again")
        }
        plan.confirmHosts()
        let clientID: String =
            switch offer.draft.client {
            case .identifier(let text): text
            case .register:
                try await plan.register(
                    with: ClientRegistrar(transport: context.edges.transport, time: context.edges.time, service: service)
                ).clientID
            case .namedByProvider: ""
            }
        try file.add(plan.name, plan.settings(clientID: clientID, clientSecretFile: offer.draft.secretFile))
        return plan.name
    }

    private enum Outcome {
        case plan(ProviderPlan, warnings: [String] = [])
        case servers(of: String, [Issuer])
    }

    private func plan(_ draft: ProviderDraft) async throws(AuthFailure) -> Outcome {
        let planner = try ProviderPlanner(discovery: NetworkDiscovery(context), file: file)
        var input = ProviderPlanner.ProviderInput(draft.preset ?? draft.address)
        input.name = draft.name
        input.mode = draft.mode
        input.scopes = draft.scopes
        input.pasteRedirect = draft.page
        input.hasSecret = draft.secretFile != nil || draft.client == .register
        if draft.preset != nil {
            input.place = draft.address.isEmpty ? nil : draft.address
            let settings = try planner.preset(for: input)?.preset.settings ?? []
            input.settings = zip(settings, draft.settings).map { .init($0.key(for: $1), .string($1)) }
        }
        switch try await planner.plan(input) {
        case .plan(let plan): return .plan(withClientChoice(of: draft, plan))
        case .resource(let finding): return try await plan(draft, for: finding, planner)
        }
    }

    /// Returns the plan with the choice of a client that the user made in the form.
    private func withClientChoice(of draft: ProviderDraft, _ plan: ProviderPlan) -> ProviderPlan {
        var plan = plan
        plan.registersClient = draft.client == .register
        return plan
    }

    private func plan(
        _ draft: ProviderDraft, for finding: DiscoveredResource, _ planner: ProviderPlanner
    ) async throws(AuthFailure) -> Outcome {
        let resource = finding.metadata.resource
        if let known = try file.read().providers.first(where: { $0.resources.contains(resource.text) }) {
            throw AuthFailure(
                .configuration, UserMessage("provider.already_there", ["provider": known.name, "resource": resource]),
                hint: "hint.sign_in_from_list")
        }
        let servers = finding.metadata.authorizationServers
        guard !servers.isEmpty else {
            throw AuthFailure(
                .configuration, UserMessage("resource.no_authorization_server", ["host": resource.origin.authority]),
                hint: "hint.enter_issuer_instead")
        }
        guard let issuer = servers.first(where: { $0.text == draft.authorizationServer }) else {
            return .servers(of: resource.text, servers)
        }
        let name: ProviderName =
            if let text = draft.name { try ProviderName(argument: text) } else { try file.read().unusedName(for: resource.origin) }
        try planner.checkFree(name)
        let plan = try await ResourcePlanner(discovery: planner.discovery, presets: planner.presets).plan(
            finding, issuer: issuer, name: name, scopes: draft.scopes, redirects: [])
        return .plan(withClientChoice(of: draft, plan), warnings: warnings(of: finding, plan))
    }

    /// Returns the warnings about a resource that the user has to read before its tokens go there.
    private func warnings(of finding: DiscoveredResource, _ plan: ProviderPlan) -> [String] {
        let resource = finding.metadata.resource
        var warnings: [UserMessage] = []
        if resource.isPlainLocalhost { warnings.append(UserMessage("resource.is_plain_localhost", ["host": resource.origin.authority])) }
        if finding.metadata.isBroader {
            warnings.append(UserMessage("resource.is_broader", ["resource": resource, "called": finding.called]))
        }
        if let tokens = plan.unconfirmedHosts.last {
            let pages = plan.unconfirmedHosts.dropLast().joined(separator: ", ")
            warnings.append(UserMessage("resource.signs_in_elsewhere", ["pages": pages, "tokens": tokens]))
        }
        return warnings.map { $0.text() }
    }

    private func offer(
        _ plan: ProviderPlan, _ draft: ProviderDraft, _ warnings: [String]
    ) throws(AuthFailure) -> ProviderOffer {
        if draft.client == .register { _ = try plan.registration() }
        func byHand(_ keys: String...) -> String? {
            keys.lazy.compactMap { key in plan.table[key]?.string.flatMap { WebURL($0)?.origin.authority } }.first
        }
        let metadata = plan.metadata
        // The hosts that the user meets, from the metadata or from the settings.
        let hosts: [(ProviderOffer.Endpoint.Purpose, String?)] = [
            (.signIn, metadata?.authorizationEndpoint?.origin.authority ?? byHand("authorization_endpoint", "portal_url", "gateway_url")),
            (.tokens, metadata?.tokenEndpoint?.origin.authority ?? byHand("token_endpoint")),
            (.registration, draft.client == .register ? metadata?.registrationEndpoint?.origin.authority : nil),
        ]
        let endpoints = hosts.compactMap { purpose, host in host.map { ProviderOffer.Endpoint(purpose, host: $0) } }
        return ProviderOffer(
            draft: draft, name: plan.name, kind: plan.kind, issuer: plan.issuer?.text, endpoints: endpoints, redirects: plan.registered,
            scopes: plan.scopes, abilities: plan.metadata.map { ProviderCapabilities(metadata: $0).offered } ?? [],
            hints: warnings + (plan.preset?.hints ?? []), resource: plan.resource)
    }
}

extension ProviderPreset {
    /// The preset as the app's form offers it: each of its modes by itself.
    fileprivate var choices: [ProviderPresetChoice] { modes.isEmpty ? [choice] : modes.map(\.choice) }

    private var choice: ProviderPresetChoice {
        var choice = ProviderPresetChoice(name: name, title: title, summary: mode == nil ? summary : meaning)
        choice.mode = mode
        choice.aliases = aliases + hosts
        choice.place = place.map { .init(what: $0.what, example: $0.example, fallback: $0.fallback) }
        choice.settings = settings.map { .init(what: $0.what, example: $0.example, label: $0.keys[0]) }
        choice.needsPage = needs.pasteRedirect
        choice.client = !needs.client ? .namedByProvider : needs.registersClient ? .registered : .given
        choice.secret =
            switch needs.secret {
            case .none: .none
            case .optional: .optional
            case .required: .required
            }
        choice.page = registration?.page
        choice.steps = registration?.steps ?? []
        choice.redirects = redirects.isEmpty ? [RedirectRule.standard.description] : redirects
        return choice
    }
}
