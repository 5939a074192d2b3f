internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import ProviderKinds
internal import TerminalUI
internal import UserConfiguration

/// `yett providers check`: fetches the metadata of providers and compares it with the configuration.
struct ProvidersCheckCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Fetch the metadata of providers and check it.",
        discussion: """
            Asks the provider about a client that Yett registered, or that has a secret, with a request for tokens that it must refuse. The \
            exit status is that of the first provider with a problem.
            """)
    static let examples: KeyValuePairs = ["yett providers check work": "Fetches the metadata of one provider, and checks it."]

    @Argument(help: "Provider names. Default: all.", completion: .names(.providers))
    var names: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let configuration = try context.configurationFile().read()
        let providers =
            names.isEmpty ? configuration.providers : try names.map { text throws(AuthFailure) in try configuration.named(text) }
        let engine = await context.readOnlyEngine(configuration)
        var reports: [ProviderCheck] = []
        for provider in providers {
            try Task.checkCancellation()
            reports.append(await ProviderCheck(provider, asksAboutClient: true, with: engine, in: context))
        }
        try context.answer(ProviderChecks(checks: reports), asJSON: json)
        if reports.isEmpty, !json { context.console.note("no provider is configured", hint: ProvidersAddCommand.hint) }
        let failures = reports.compactMap { report in report.failure.map { (report.provider.name, $0) } }
        // On a terminal, the rows say it already.
        for (name, failure) in failures where json || context.display == nil {
            context.console.failure(AuthFailure(failure.kind, text: "\(name): \(failure.summary)", hint: failure.hintText))
        }
        if let (_, first) = failures.first { throw ExitStatus(code: first.exitCode) }
    }
}

/// The result of checking one provider.
struct ProviderCheck: Sendable {
    let provider: ProviderConfiguration
    let result: Result<Discovery.Finding?, AuthFailure>
    /// The provider's report, if it has no issuer and its kind checks it in another way.
    private var finds: UserMessage?
    /// Whether the client was left unchecked, because its secret is sealed in a locked store.
    private var skippedClientCheck = false

    /// Fetches the provider's metadata, or makes the check that its kind defines. A provider whose endpoints are configured by hand is not
    /// contacted.
    ///
    /// - Parameters:
    ///   - asksAboutClient: whether to ask the provider if it knows the client, which only a user may want (``ClientCheck``).
    ///   - engine: an engine on the unlocked store; `nil` if the store is locked.
    init(
        _ provider: ProviderConfiguration, asksAboutClient: Bool = false, with engine: Engine? = nil, in context: CommandContext
    ) async {
        self.provider = provider
        guard let issuer = provider.issuer else {
            do throws(AuthFailure) {
                finds = try await NetworkDiscovery(context).finding(of: provider)
                result = .success(nil)
            } catch {
                result = .failure(error)
            }
            return
        }
        var discovery = Discovery(transport: context.edges.transport, time: context.edges.time, caFile: provider.caFile)
        discovery.dialect = provider.dialect
        do throws(AuthFailure) {
            let finding = try await discovery.find(issuer, kind: provider.kind)
            if let engine {
                try await engine.checkClient(of: provider.name)
            } else if asksAboutClient {
                skippedClientCheck = try await !Self.hasCheckedPublicClient(provider, finding.metadata, in: context)
            }
            result = .success(finding)
        } catch {
            result = .failure(error)
        }
    }

    /// Throws if the server deleted the public client that Yett registered there. Returns `false` for a client with a secret, which cannot
    /// be checked while the store is locked.
    private static func hasCheckedPublicClient(
        _ provider: ProviderConfiguration, _ metadata: ProviderMetadata, in context: CommandContext
    ) async throws(AuthFailure) -> Bool {
        guard provider.registeredScopes != nil, metadata.tokenEndpoint != nil else { return true }
        guard ClientRegistration.authenticationMethod(among: metadata.tokenAuthenticationMethods) == "none" else { return false }
        let request: WebRequest
        do { request = try ClientCheck.request(OAuthClient(id: provider.clientID, dialect: provider.dialect), at: metadata) } catch {
            throw error.failure
        }
        let answer = try await context.edges.transport.send(request, policy: TransportPolicy(caFile: provider.caFile))
        guard ClientCheck.isUnknownClient(answer) else { return true }
        throw AuthFailure(
            .unknownClient,
            text: "\(provider.issuer?.url.origin.authority ?? provider.name.text) does not recognize the registered client any more",
            hint: "register it again with: yett login \(provider.name) --register")
    }

    var failure: AuthFailure? { if case .failure(let failure) = result { failure } else { nil } }
    /// Whether something was asked, and nothing is wrong.
    var isChecked: Bool { if case .success(nil) = result { finds != nil } else { failure == nil } }
    var finding: Discovery.Finding? { if case .success(let finding) = result { finding } else { nil } }

    /// The result, in a few words.
    var words: String {
        switch result {
        case .success(nil) where finds != nil: finds?.english ?? ""
        case .success(nil): "not checked: its endpoints are set in the configuration"
        case .success where skippedClientCheck: "valid metadata; the client was not checked because the store is locked"
        case .success(let finding?): "valid metadata" + (finding.metadata.offersAccountCreation == true ? ", creates accounts" : "")
        case .failure(let failure): failure.summary
        }
    }
}

private struct ProviderChecks: Answer {
    let checks: [ProviderCheck]

    func rows(on display: Display) -> [StyledText] {
        let width = 2 + (checks.map(\.provider.name.text.count).max() ?? 0)
        func rows(_ checks: [ProviderCheck], _ mark: StyledText, _ role: Role) -> [StyledText] {
            checks.flatMap { check in
                let label = StyledText(check.provider.name.text.padded(to: width), .title)
                return display.marked(mark, label: label, check.words, role, hint: check.failure?.hintText)
            }
        }
        return rows(checks.filter { $0.failure != nil }, display.bad, .danger)
            + rows(checks.filter(\.isChecked), display.good, .text)
            + rows(checks.filter { $0.failure == nil && !$0.isChecked }, display.neutral, .muted)
    }

    var lines: [String] {
        checks.map { "\($0.failure == nil ? "ok  " : "fail") \($0.provider.name): \($0.words)" }
    }

    var json: JSONValue {
        .answer(list: "providers", of: checks) { check in
            let metadata = check.finding?.metadata
            return .members(
                ("name", .string(check.provider.name.text)), ("ok", .bool(check.failure == nil)),
                ("issuer", JSONValue(check.provider.issuer?.text)),
                ("authorization_endpoint", JSONValue(metadata?.authorizationEndpoint?.text)),
                ("token_endpoint", JSONValue(metadata?.tokenEndpoint?.text)),
                ("userinfo_endpoint", JSONValue(metadata?.userInfoEndpoint?.text)),
                ("revocation_endpoint", JSONValue(metadata?.revocationEndpoint?.text)),
                ("end_session_endpoint", JSONValue(metadata?.endSessionEndpoint?.text)),
                ("error", JSONValue(check.failure?.summary)), ("hint", JSONValue(check.failure?.hintText)))
        }
    }
}
