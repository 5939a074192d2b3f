internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Makes a ``ProviderPlan`` from the user's input: a well-known provider, an issuer, or a protected resource (RFC 9728).
///
/// Uses the network but does not ask the user, so that the command and the app can share it. Writes nothing.
struct ProviderPlanner {
    let transport: any HTTPTransport
    let time: any TimeSource
    let file: ConfigurationFile

    /// The user's input.
    struct ProviderInput {
        /// A well-known provider's name, an issuer, the address of its metadata, or the address of a protected resource.
        var provider: String
        /// The user's place at a well-known provider, such as a domain or a tenant.
        var place: String?
        /// The name for the provider in the configuration; `nil` derives one from the host.
        var name: String?
        var kind: ProviderKind?
        /// The mode of a well-known provider that has several.
        var mode: String?
        /// More settings to write, by their keys in the configuration.
        var settings: [ProviderPreset.Setting] = []
        /// The scopes to request; empty for the default ones.
        var scopes: [String] = []
        var redirects: [String] = []
        var pasteRedirect: String?
        var postLogoutRedirects: [String] = []
        /// Whether to fetch and check the provider's metadata.
        var isChecked = true
    }

    /// The result of planning.
    enum Outcome {
        case plan(ProviderPlan)
        /// The address belongs to a protected resource. The user must choose which of its authorization servers to trust.
        case resource(ResourcePlanner.Finding)
    }

    func plan(_ input: ProviderInput) async throws(AuthFailure) -> Outcome {
        if let preset = ProviderPreset.named(input.provider) {
            guard let mode = try preset.mode(named: input.mode) else {
                return .plan(
                    try await plan(input, at: try preset.location(at: input.place), kind: input.kind ?? preset.kind, preset: preset))
            }
            return .plan(try await plan(input, mode: mode, of: preset))
        }
        guard input.mode == nil else {
            throw AuthFailure(.usage, "--mode works with well-known providers only", hint: "see: yett providers add --help")
        }
        guard input.place == nil else {
            throw AuthFailure(.usage, "--at works with well-known providers only", hint: "see: yett providers add --help")
        }
        if let target = await resource(input) {
            guard input.postLogoutRedirects.isEmpty, input.pasteRedirect == nil else {
                let option = input.pasteRedirect == nil ? "--post-logout-redirect" : "--paste-redirect"
                throw AuthFailure(
                    .usage, "\(option) is for providers, and \(target.url.origin.authority) is a resource",
                    hint: "remove the option, or add the resource's provider by its issuer")
            }
            return .resource(try await ResourcePlanner(transport: transport, time: time).find(target.url, challenge: target.challenge))
        }
        let issuer = try Self.issuer(input.provider)
        guard let preset = ProviderPreset.recognising(issuer), input.kind == nil || input.kind == preset.kind else {
            return .plan(try await plan(input, at: .init(issuer: issuer), kind: input.kind ?? .oidc, preset: nil))
        }
        let location: ProviderPreset.Location =
            if case .issuer = preset.address { .init(issuer: issuer) } else { try preset.location(at: issuer.text) }
        if input.kind == nil, let mode = preset.modes.first(where: { $0.covers(issuer) }) {
            return .plan(try await plan(input, at: location, kind: mode.kind, preset: mode.settled(preset)))
        }
        return .plan(try await plan(input, at: location, kind: preset.kind, preset: preset))
    }

    /// Plans a well-known provider in one of its modes.
    private func plan(_ input: ProviderInput, mode: ProviderMode, of preset: ProviderPreset) async throws(AuthFailure) -> ProviderPlan {
        var input = input
        input.settings = mode.filled(input.settings, place: &input.place)
        if let need = mode.open(input.settings).first {
            throw AuthFailure(
                .usage, "\(preset.name) in mode \(mode.name) needs \(need.what)",
                hint: "add it: --set \(ShellWord("\(need.keys[0])=\(need.example)"))")
        }
        let settled = mode.settled(preset)
        return try await plan(input, at: try settled.location(at: input.place), kind: input.kind ?? mode.kind, preset: settled)
    }

    /// Throws `.configuration` if a provider has this name already.
    func checkFree(_ name: ProviderName) throws(AuthFailure) {
        guard try file.read().provider(name) == nil else {
            throw AuthFailure(
                .configuration, "a provider named '\(name)' already exists", hint: "choose another name with --name")
        }
    }

    private func plan(
        _ input: ProviderInput, at location: ProviderPreset.Location, kind: ProviderKind, preset: ProviderPreset?
    ) async throws(AuthFailure) -> ProviderPlan {
        if let preset, preset.requiresPasteRedirect, input.pasteRedirect == nil {
            throw AuthFailure(
                .usage, "\(preset.name) does not redirect to this machine",
                hint: "give the page that is registered there: --paste-redirect https://www.example.org/callback")
        }
        let issuer = location.issuer
        let name = try Self.name(input, issuer, preset)
        try checkFree(name)
        var metadata: ProviderMetadata?
        if let issuer, input.isChecked {
            metadata = try await Discovery(transport: transport, time: time).find(issuer, kind: kind).metadata
        }
        var plan = ProviderPlan(
            name: name, kind: kind, issuer: issuer, preset: preset, metadata: metadata,
            scopes: Self.scopes(input, kind, preset, offered: metadata?.scopes),
            redirects: input.pasteRedirect != nil ? [] : input.redirects.isEmpty ? preset?.redirects ?? [] : input.redirects)
        plan.pasteRedirect = input.pasteRedirect
        let given = Set(input.settings.map(\.key))
        plan.location = (location.settings + (preset?.fixed ?? [])).filter { !given.contains($0.key) } + input.settings
        if input.isChecked, issuer == nil { plan.finding = try await finding(plan) }
        plan.postLogoutRedirects = input.postLogoutRedirects
        if !plan.postLogoutRedirects.isEmpty, let metadata, metadata.endSessionEndpoint == nil {
            throw AuthFailure(
                .configuration, "\(plan.host) has no page that ends its own session, so the browser cannot come back from it",
                hint: "remove --post-logout-redirect")
        }
        return plan
    }

    /// Asks a provider that publishes no metadata, in the way that its kind defines; returns `nil` if the kind defines none.
    ///
    /// - Throws: the provider's refusal, for example of an unknown key.
    private func finding(_ plan: ProviderPlan) async throws(AuthFailure) -> String? {
        let entry = plan.entry(clientID: plan.choosesClient ? "" : "yett", clientSecretFile: nil)
        guard let provider = try file.preview(plan.name, entry.settings) else { return nil }
        return try await provider.finding(in: EngineEnvironment(transport: transport, time: time, cacheDirectory: nil))
    }

    /// Returns the URL and its challenge if a request to the address is answered with a demand for a token, which an issuer does not make.
    /// Sends no request if the user gave a kind or turned the check off.
    private func resource(_ input: ProviderInput) async -> (url: WebURL, challenge: Challenge?)? {
        guard input.kind == nil, input.isChecked, !input.provider.contains("/.well-known/"), let url = WebURL(Self.address(input.provider)),
            url.isResourceURL, url.fragment == nil
        else { return nil }
        // An error does not matter here: an issuer's own page may be anything, and only its metadata counts.
        let challenge = try? await ResourceDiscovery(transport: transport, time: time).challenge(at: url)
        return (challenge ?? nil).map { (url, $0) }
    }

    private static func address(_ text: String) -> String { text.contains("://") ? text : "https://" + text }

    private static func issuer(_ text: String) throws(AuthFailure) -> Issuer {
        var address = address(text)
        for suffix in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] where address.hasSuffix(suffix) {
            address.removeLast(suffix.count)
        }
        if let issuer = Issuer(address) { return issuer }
        throw AuthFailure(
            .usage, "'\(text)' is not an issuer",
            hint: "use an https URL, exactly as the provider writes it; http is allowed for loopback addresses only")
    }

    private static func name(_ input: ProviderInput, _ issuer: Issuer?, _ preset: ProviderPreset?) throws(AuthFailure) -> ProviderName {
        if let name = input.name { return try ProviderName(argument: name) }
        if let preset, ProviderPreset.named(input.provider) != nil { return try ProviderName(argument: preset.name) }
        guard let issuer else { throw AuthFailure(.usage, "the provider needs a name", hint: "add --name NAME") }
        return try ProviderName(for: issuer.url.origin)
    }

    private static func scopes(_ input: ProviderInput, _ kind: ProviderKind, _ preset: ProviderPreset?, offered: [String]?) -> [String] {
        guard input.scopes.isEmpty else { return input.scopes }
        if let preset {
            return preset.scopes.filter { $0 == "openid" || offered?.contains($0) != false }
        }
        return kind == .oidc
            ? ["openid", "profile", "email", "offline_access"].filter { $0 == "openid" || offered?.contains($0) == true } : []
    }
}

extension ProviderPlanner {
    init(_ context: CommandContext) throws(AuthFailure) {
        self.init(transport: context.edges.transport, time: context.edges.time, file: try context.configurationFile())
    }
}
