package import AuthModel
package import OAuth
package import TOML

/// Makes a ``ProviderPlan`` from the user's input: a preset, an issuer, or a protected resource (RFC 9728).
///
/// Uses the network but does not ask the user, so that the command and the app can share it. Writes nothing.
package struct ProviderPlanner {
    package let discovery: any ProviderDiscovery
    package let file: ConfigurationFile
    package let presets: PresetLibrary

    /// Creates a planner that adds to `file`. Throws `.configuration` if the presets cannot be read.
    package init(discovery: any ProviderDiscovery, file: ConfigurationFile) throws(AuthFailure) {
        self.discovery = discovery
        self.file = file
        presets = try file.presets()
    }

    /// The user's input.
    package struct ProviderInput {
        /// A preset's name, an issuer, the address of its metadata, or the address of a protected resource.
        package var provider: String
        /// The user's place at a preset's service, such as a domain or a tenant.
        package var place: String?
        /// The name for the provider in the configuration; `nil` derives one.
        package var name: String?
        package var kind: ProviderKind?
        /// The mode of a preset that has several.
        package var mode: String?
        /// More keys to write, with their values.
        package var settings: [TOMLValue.Member] = []
        /// The scopes to request; empty for the default ones.
        package var scopes: [String] = []
        package var redirects: [String] = []
        package var pasteRedirect: String?
        package var postLogoutRedirects: [String] = []
        /// Whether to fetch and check the provider's metadata.
        package var isChecked = true
        /// Whether a client is given, or the user can be asked for it later.
        package var hasClient = true
        /// Whether a client secret is given, or the user can be asked for it later.
        package var hasSecret = true

        package init(_ provider: String) { self.provider = provider }

        /// The keys of ``settings`` as a table; dotted keys become tables.
        package var table: TOMLValue {
            settings.reduce(.table([])) { table, setting in
                setting.value.placed(at: setting.name.split(separator: ".").map(String.init)).merged(over: table)
            }
        }
    }

    /// The result of planning.
    package enum Outcome {
        case plan(ProviderPlan)
        /// The address belongs to a protected resource. The user must choose which of its authorization servers to trust.
        case resource(DiscoveredResource)
    }

    package func plan(_ input: ProviderInput) async throws(AuthFailure) -> Outcome {
        if let found = try preset(for: input) {
            let planned = found.input
            if found.isNamed { return .plan(try await plan(planned, found.preset)) }
            try PresetNeeds(found.preset, planned).check()
            return try await orResource(input) { () async throws(AuthFailure) in try await plan(planned, found.preset) }
        }
        guard input.mode == nil else {
            throw AuthFailure(.usage, "preset.mode_needs_well_known_provider", hint: "hint.see_providers_add_help")
        }
        guard input.place == nil else {
            throw AuthFailure(.usage, "preset.at_needs_well_known_provider", hint: "hint.see_providers_add_help")
        }
        return try await orResource(input) { () async throws(AuthFailure) in
            let issuer = try Self.issuer(input.provider)
            do throws(AuthFailure) {
                return try await plan(input, issuer: issuer)
            } catch {
                // An issuer may end with a slash, and its metadata are at the same place.
                guard let other = issuer.otherSlash, error.namedIssuer?.hasSameBytes(as: other.text) == true else { throw error }
                return try await plan(input, issuer: other)
            }
        }
    }

    /// Returns the preset that the input names, or whose address it is, before a mode is chosen, and the place in the address; `nil` for an
    /// address that belongs to no preset. Throws `.usage` if the input is neither an address nor a preset's name.
    package func service(of input: ProviderInput) throws(AuthFailure) -> (preset: ProviderPreset, place: String?, isNamed: Bool)? {
        if let preset = try presets.named(input.provider) { return (preset, nil, true) }
        guard input.provider.contains(where: { ".:/".contains($0) }) else { throw presets.unknown(input.provider) }
        guard let address = WebURL(Self.address(input.provider)), let found = presets.recognising(address) else { return nil }
        return (found.preset, found.place, false)
    }

    /// Returns the preset in the mode that the input names, and the input with what the address says; `nil` for an address that belongs to
    /// no preset. Throws `.usage` if there is no such preset or mode.
    package func preset(for input: ProviderInput) throws(AuthFailure) -> (preset: ProviderPreset, input: ProviderInput, isNamed: Bool)? {
        guard let found = try service(of: input) else { return nil }
        let preset = try found.preset.mode(named: input.mode ?? found.preset.mode)
        guard found.isNamed || input.kind == nil || input.kind == preset.kind else { return nil }
        var input = input
        input.place = input.place ?? found.place
        return (preset, input, found.isNamed)
    }

    /// Makes a plan; if the address has none, looks for a protected resource there.
    private func orResource(
        _ input: ProviderInput, _ plan: () async throws(AuthFailure) -> ProviderPlan
    ) async throws(AuthFailure) -> Outcome {
        do throws(AuthFailure) {
            return .plan(try await plan())
        } catch {
            // Only what publishes no metadata of an issuer is asked whether it is a resource: an issuer's protocol has no such request.
            // Scopes without openid fit no OpenID provider, and may be those of a resource.
            let isOtherKind = error.kind == .configuration && !input.scopes.isEmpty && !input.scopes.contains("openid")
            guard [.usage, .unavailable(retryAfter: nil)].contains(error.kind) || isOtherKind, let found = try await resource(input)
            else { throw error }
            guard input.postLogoutRedirects.isEmpty, input.pasteRedirect == nil else {
                let option = input.pasteRedirect == nil ? "--post-logout-redirect" : "--paste-redirect"
                throw AuthFailure(
                    .usage, UserMessage("provider.option_not_for_resource", ["option": option, "host": found.called.origin.authority]),
                    hint: "hint.remove_option_or_add_by_issuer")
            }
            return .resource(found)
        }
    }

    /// Throws `.configuration` if a provider has this name already.
    package func checkFree(_ name: ProviderName) throws(AuthFailure) {
        guard try file.read().provider(name) == nil else {
            throw AuthFailure(
                .configuration, UserMessage("provider.name_taken", ["provider": name]), hint: "hint.choose_other_name")
        }
    }

    /// Plans a provider by a preset, in one of its modes if it has several.
    private func plan(_ input: ProviderInput, _ preset: ProviderPreset) async throws(AuthFailure) -> ProviderPlan {
        let needs = PresetNeeds(preset, input)
        try needs.check()
        let table = needs.input.table.merged(over: try preset.provider(at: needs.input.place))
        let name = try ProviderName(argument: input.name ?? preset.name)
        let kind = input.kind ?? preset.kind
        var plan = ProviderPlan(
            name: name, kind: kind, issuer: table["issuer"]?.string.flatMap { Issuer($0) }, metadata: nil, scopes: input.scopes,
            redirects: input.redirects.isEmpty ? preset.redirects : input.redirects)
        plan.table = TOMLValue.table([.init("kind", .string(kind.rawValue))]).merged(over: table)
        plan.preset = preset
        plan.place = needs.input.place
        try await complete(&plan, input)
        if input.scopes.isEmpty { plan.scopes = Self.offered(preset.scopes, by: plan.metadata) }
        return plan
    }

    private func plan(_ input: ProviderInput, issuer: Issuer) async throws(AuthFailure) -> ProviderPlan {
        let kind = input.kind ?? .oidc
        let name = if let text = input.name { try ProviderName(argument: text) } else { try ProviderName(for: issuer.url.origin) }
        var plan = ProviderPlan(name: name, kind: kind, issuer: issuer, metadata: nil, scopes: input.scopes, redirects: input.redirects)
        plan.table = input.table.merged(over: plan.table)
        try await complete(&plan, input)
        if input.scopes.isEmpty, kind == .oidc {
            let usual = ["openid", "profile", "email", "offline_access"]
            plan.scopes = usual.filter { $0 == "openid" || plan.metadata?.scopes?.contains($0) == true }
        }
        return plan
    }

    /// Adds the input and what the provider says about itself.
    private func complete(_ plan: inout ProviderPlan, _ input: ProviderInput) async throws(AuthFailure) {
        try checkFree(plan.name)
        plan.hasRedirect = file.rules.kind(plan.kind).hasRedirect
        plan.pasteRedirect = input.pasteRedirect
        if input.pasteRedirect != nil { plan.redirects = [] }
        plan.postLogoutRedirects = input.postLogoutRedirects
        let hasSecret = plan.preset.map { $0.needs.secret != .none } ?? false
        let example = plan.settings(
            clientID: plan.choosesClient ? "" : plan.table["client_id"]?.string ?? "yett",
            clientSecretFile: hasSecret && plan.table["client_secret_command"] == nil ? "/example" : nil)
        let provider = try file.provider(plan.name, example)
        guard input.isChecked else { return }
        guard provider.issuer != nil else {
            // The provider may refuse, for example, an unknown key.
            plan.finding = try await discovery.finding(of: provider)
            return
        }
        let metadata = try await discovery.metadata(of: provider)
        plan.metadata = metadata
        if !plan.postLogoutRedirects.isEmpty, metadata.endSessionEndpoint == nil {
            throw AuthFailure(
                .configuration, UserMessage("sign_out.no_page_to_return_from", ["host": plan.host]),
                hint: "hint.remove_post_logout_redirect")
        }
    }

    /// Returns the protected resource at the address, as ``ProviderDiscovery/resource(at:)`` does. Sends no request if the user gave a kind
    /// or turned the check off.
    private func resource(_ input: ProviderInput) async throws(AuthFailure) -> DiscoveredResource? {
        guard input.kind == nil, input.isChecked, !input.provider.contains("/.well-known/"), let url = WebURL(Self.address(input.provider)),
            url.isRequestable, url.fragment == nil
        else { return nil }
        return try await discovery.resource(at: url)
    }

    private static func address(_ text: String) -> String {
        var address = text.contains("://") ? text : "https://" + text
        for suffix in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] where address.hasSuffix(suffix) {
            address.removeLast(suffix.count)
        }
        return address
    }

    private static func issuer(_ text: String) throws(AuthFailure) -> Issuer {
        if let issuer = Issuer(address(text)) { return issuer }
        throw AuthFailure(
            .usage, UserMessage("provider.not_an_issuer", ["value": text]),
            hint: "hint.use_https_issuer")
    }

    /// Returns scopes without the optional ones of OpenID Connect that the provider's list lacks. Lists seldom have the scopes of APIs.
    private static func offered(_ scopes: [String], by metadata: ProviderMetadata?) -> [String] {
        // The list that Ory Hydra has unless it is configured says nothing about its clients' scopes.
        guard let offered = metadata?.scopes, Set(offered) != ["openid", "offline", "offline_access"] else { return scopes }
        return scopes.filter { !["profile", "email", "offline_access"].contains($0) || offered.contains($0) }
    }
}
