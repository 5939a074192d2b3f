package import AuthModel
package import OAuth

/// Makes a ``ProviderPlan`` from the user's input: a well-known provider, an issuer, or a protected resource (RFC 9728).
///
/// Uses the network but does not ask the user, so that the command and the app can share it. Writes nothing.
package struct ProviderPlanner {
    package let discovery: any ProviderDiscovery
    package let file: ConfigurationFile

    /// Creates a planner that adds to `file`.
    package init(discovery: any ProviderDiscovery, file: ConfigurationFile) {
        self.discovery = discovery
        self.file = file
    }

    /// The user's input.
    package struct ProviderInput {
        /// A well-known provider's name, an issuer, the address of its metadata, or the address of a protected resource.
        package var provider: String
        /// The user's place at a well-known provider, such as a domain or a tenant.
        package var place: String?
        /// The name for the provider in the configuration; `nil` derives one from the host.
        package var name: String?
        package var kind: ProviderKind?
        /// The mode of a well-known provider that has several.
        package var mode: String?
        /// More settings to write, by their keys in the configuration.
        package var settings: [ProviderPreset.Setting] = []
        /// The scopes to request; empty for the default ones.
        package var scopes: [String] = []
        package var redirects: [String] = []
        package var pasteRedirect: String?
        package var postLogoutRedirects: [String] = []
        /// Whether to fetch and check the provider's metadata.
        package var isChecked = true

        /// Creates an input.
        package init(
            provider: String, place: String? = nil, name: String? = nil, kind: ProviderKind? = nil, mode: String? = nil,
            settings: [ProviderPreset.Setting] = [], scopes: [String] = [], redirects: [String] = [], pasteRedirect: String? = nil,
            postLogoutRedirects: [String] = [], isChecked: Bool = true
        ) {
            self.provider = provider
            self.place = place
            self.name = name
            self.kind = kind
            self.mode = mode
            self.settings = settings
            self.scopes = scopes
            self.redirects = redirects
            self.pasteRedirect = pasteRedirect
            self.postLogoutRedirects = postLogoutRedirects
            self.isChecked = isChecked
        }
    }

    /// The result of planning.
    package enum Outcome {
        case plan(ProviderPlan)
        /// The address belongs to a protected resource. The user must choose which of its authorization servers to trust.
        case resource(DiscoveredResource)
    }

    package func plan(_ input: ProviderInput) async throws(AuthFailure) -> Outcome {
        if let preset = ProviderPreset.named(input.provider) {
            guard let mode = try preset.mode(named: input.mode) else {
                return .plan(
                    try await plan(input, at: try preset.location(at: input.place), kind: input.kind ?? preset.kind, preset: preset))
            }
            return .plan(try await plan(input, mode: mode, of: preset))
        }
        guard input.mode == nil else {
            throw AuthFailure(.usage, "preset.mode_needs_well_known_provider", hint: "hint.see_providers_add_help")
        }
        guard input.place == nil else {
            throw AuthFailure(.usage, "preset.at_needs_well_known_provider", hint: "hint.see_providers_add_help")
        }
        do throws(AuthFailure) {
            return .plan(try await plan(input, issuer: Self.issuer(input.provider)))
        } catch {
            // Only what publishes no metadata of an issuer is asked whether it is a resource: an issuer's protocol has no such request.
            guard [.usage, .unavailable(retryAfter: nil)].contains(error.kind), let found = try await resource(input) else { throw error }
            guard input.postLogoutRedirects.isEmpty, input.pasteRedirect == nil else {
                let option = input.pasteRedirect == nil ? "--post-logout-redirect" : "--paste-redirect"
                throw AuthFailure(
                    .usage, UserMessage("provider.option_not_for_resource", ["option": option, "host": found.called.origin.authority]),
                    hint: "hint.remove_option_or_add_by_issuer")
            }
            return .resource(found)
        }
    }

    /// Plans the provider with an issuer, as its preset says if there is one.
    private func plan(_ input: ProviderInput, issuer: Issuer) async throws(AuthFailure) -> ProviderPlan {
        guard let preset = ProviderPreset.recognising(issuer), input.kind == nil || input.kind == preset.kind else {
            return try await plan(input, at: .init(issuer: issuer), kind: input.kind ?? .oidc, preset: nil)
        }
        let location: ProviderPreset.Location =
            if case .issuer = preset.address { .init(issuer: issuer) } else { try preset.location(at: issuer.text) }
        if input.kind == nil, let mode = preset.modes.first(where: { $0.covers(issuer) }) {
            return try await plan(input, at: location, kind: mode.kind, preset: mode.settled(preset))
        }
        return try await plan(input, at: location, kind: preset.kind, preset: preset)
    }

    /// Plans a well-known provider in one of its modes.
    private func plan(_ input: ProviderInput, mode: ProviderMode, of preset: ProviderPreset) async throws(AuthFailure) -> ProviderPlan {
        var input = input
        input.settings = mode.filled(input.settings, place: &input.place)
        if let need = mode.open(input.settings).first {
            throw AuthFailure(
                .usage, UserMessage("preset.mode_needs_setting", ["preset": preset.name, "mode": mode.name, "value": need.what]),
                hint: UserMessage("hint.add_with_set", ["setting": "\(need.keys[0])=\(need.example)"]))
        }
        let settled = mode.settled(preset)
        return try await plan(input, at: try settled.location(at: input.place), kind: input.kind ?? mode.kind, preset: settled)
    }

    /// Throws `.configuration` if a provider has this name already.
    package func checkFree(_ name: ProviderName) throws(AuthFailure) {
        guard try file.read().provider(name) == nil else {
            throw AuthFailure(
                .configuration, UserMessage("provider.name_taken", ["provider": name]), hint: "hint.choose_other_name")
        }
    }

    private func plan(
        _ input: ProviderInput, at location: ProviderPreset.Location, kind: ProviderKind, preset: ProviderPreset?
    ) async throws(AuthFailure) -> ProviderPlan {
        if let preset, preset.requiresPasteRedirect, input.pasteRedirect == nil {
            throw AuthFailure(
                .usage, UserMessage("preset.no_redirect_to_this_machine", ["preset": preset.name]),
                hint: "hint.give_paste_redirect")
        }
        let issuer = location.issuer
        let name = try Self.name(input, issuer, preset)
        try checkFree(name)
        var metadata: ProviderMetadata?
        if let issuer, input.isChecked {
            metadata = try await discovery.metadata(of: issuer, kind: kind)
        }
        var plan = ProviderPlan(
            name: name, kind: kind, issuer: issuer, preset: preset, metadata: metadata,
            scopes: Self.scopes(input, kind, preset, offered: metadata?.scopes),
            redirects: input.pasteRedirect != nil ? [] : input.redirects.isEmpty ? preset?.redirects ?? [] : input.redirects)
        plan.hasRedirect = file.rules.kind(kind).hasRedirect
        plan.pasteRedirect = input.pasteRedirect
        let given = Set(input.settings.map(\.key))
        plan.location = (location.settings + (preset?.fixed ?? [])).filter { !given.contains($0.key) } + input.settings
        if input.isChecked, issuer == nil { plan.finding = try await finding(plan) }
        plan.postLogoutRedirects = input.postLogoutRedirects
        if !plan.postLogoutRedirects.isEmpty, let metadata, metadata.endSessionEndpoint == nil {
            throw AuthFailure(
                .configuration, UserMessage("sign_out.no_page_to_return_from", ["host": plan.host]),
                hint: "hint.remove_post_logout_redirect")
        }
        return plan
    }

    /// Asks a provider that publishes no metadata, in the way that its kind defines; returns `nil` if the kind defines none.
    ///
    /// - Throws: the provider's refusal, for example of an unknown key.
    private func finding(_ plan: ProviderPlan) async throws(AuthFailure) -> UserMessage? {
        let entry = plan.entry(clientID: plan.choosesClient ? "" : "yett", clientSecretFile: nil)
        guard let provider = try file.preview(plan.name, entry.settings) else { return nil }
        return try await discovery.finding(of: provider)
    }

    /// Returns the protected resource at the address: what demands a token, or publishes metadata of a resource. Sends no request if the
    /// user gave a kind or turned the check off. Throws if it demands a token, and its metadata are invalid.
    private func resource(_ input: ProviderInput) async throws(AuthFailure) -> DiscoveredResource? {
        guard input.kind == nil, input.isChecked, !input.provider.contains("/.well-known/"), let url = WebURL(Self.address(input.provider)),
            url.isRequestable, url.fragment == nil
        else { return nil }
        // An error does not matter here: the address may be wrong, and then the failure of the issuer says more.
        let challenge = (try? await discovery.challenge(at: url)) ?? nil
        guard let challenge else { return try? await discovery.resource(at: url, challenge: nil) }
        return try await discovery.resource(at: url, challenge: challenge)
    }

    private static func address(_ text: String) -> String { text.contains("://") ? text : "https://" + text }

    private static func issuer(_ text: String) throws(AuthFailure) -> Issuer {
        var address = address(text)
        for suffix in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] where address.hasSuffix(suffix) {
            address.removeLast(suffix.count)
        }
        if let issuer = Issuer(address) { return issuer }
        throw AuthFailure(
            .usage, UserMessage("provider.not_an_issuer", ["value": text]),
            hint: "hint.use_https_issuer")
    }

    private static func name(_ input: ProviderInput, _ issuer: Issuer?, _ preset: ProviderPreset?) throws(AuthFailure) -> ProviderName {
        if let name = input.name { return try ProviderName(argument: name) }
        if let preset, ProviderPreset.named(input.provider) != nil { return try ProviderName(argument: preset.name) }
        guard let issuer else { throw AuthFailure(.usage, "provider.needs_name", hint: "hint.add_name") }
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
