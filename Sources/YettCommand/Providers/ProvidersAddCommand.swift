internal import ArgumentParser
internal import AuthModel
internal import OAuth

/// `yett providers add`: asks a provider who it is and writes it into the configuration.
struct ProvidersAddCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a provider to the configuration, after asking it who it is.",
        discussion: "The rest of the file, its comments too, stays as it is.")

    @Argument(help: "The issuer, an https URL, or the address of its metadata.")
    var issuer: String

    @Option(help: ArgumentHelp("The name it is to have here; made from its host where it is left out.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The client that is registered at the provider.", valueName: "id"))
    var clientID: String?

    @Option(help: ArgumentHelp("oidc or oauth2.", valueName: "kind"))
    var kind = ProviderKind.oidc.rawValue

    @Option(name: .customLong("scope"), help: ArgumentHelp("A scope to ask for; may be repeated.", valueName: "scope"))
    var scopes: [String] = []

    @Option(name: .customLong("redirect"), help: ArgumentHelp("A redirect address that is registered; may be repeated.", valueName: "url"))
    var redirects: [String] = []

    @Option(help: ArgumentHelp("A file with the client secret.", valueName: "file"))
    var clientSecretFile: String?

    @Flag(help: "Do not ask the provider, only write.")
    var noCheck = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        guard let kind = ProviderKind(rawValue: kind) else {
            throw AuthFailure(
                .usage, "there is no kind '\(self.kind)'",
                hint: "this version knows \(ProviderKind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let issuer = try parsedIssuer()
        let name = try settledName(issuer)
        let file = try context.configurationFile()
        let clientID = try await settledClientID(in: context)
        var offered: [String]?
        if !noCheck {
            let finding = try await Discovery(transport: context.edges.transport, time: context.edges.time).find(issuer, kind: kind)
            offered = finding.metadata.scopes
        }
        let values = settings(issuer, kind: kind, clientID: clientID, offered: offered)
        try file.add(name, values)
        try context.console.lines(["added: \(name)"])
        context.console.note(
            "register this redirect address there: \((try file.read().provider(name)?.redirects ?? [.standard]).map(\.description).joined(separator: ", "))"
        )
        context.console.hint("sign in with: yett login \(name)")
    }

    private func parsedIssuer() throws(AuthFailure) -> Issuer {
        var text = issuer
        for suffix in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] where text.hasSuffix(suffix) {
            text.removeLast(suffix.count)
        }
        if !text.contains("://") { text = "https://" + text }
        if let issuer = Issuer(text) { return issuer }
        throw AuthFailure(
            .usage, "'\(issuer)' is no issuer",
            hint: "write it as the provider does: an https URL; http is taken for a loopback literal only")
    }

    /// The name that was given, or the telling part of the host: `id.example.org` gives `example`.
    private func settledName(_ issuer: Issuer) throws(AuthFailure) -> ProviderName {
        if let name { return try ProviderName(argument: name) }
        let host = issuer.url.origin.host
        let labels = host.split(separator: ".")
        let isAddress = issuer.url.origin.isLoopback || labels.allSatisfy { $0.allSatisfy(\.isNumber) }
        let telling = isAddress ? "local" : labels.count > 1 ? String(labels[labels.count - 2]) : host
        return try ProviderName(argument: telling)
    }

    private func settledClientID(in context: CommandContext) async throws(AuthFailure) -> String {
        if let clientID, !clientID.isEmpty { return clientID }
        guard context.canAsk else {
            throw AuthFailure(.usage, "--client-id is missing", hint: "it is the client that is registered for you at the provider")
        }
        context.console.ask("Which client_id did the provider give you?")
        guard let line = await context.edges.streams.line()?.trimmed, !line.isEmpty else {
            throw AuthFailure(.cancelled, "no client_id was given")
        }
        return String(line)
    }

    private func settings(
        _ issuer: Issuer, kind: ProviderKind, clientID: String, offered: [String]?
    ) -> [(key: String, value: String)] {
        let usual = kind == .oidc ? ["openid", "profile", "email", "offline_access"] : []
        let chosen = scopes.isEmpty ? usual.filter { $0 == "openid" || offered?.contains($0) == true } : scopes
        var values = [
            ("kind", ConfigurationEditor.value(kind.rawValue)), ("issuer", ConfigurationEditor.value(issuer.text)),
            ("client_id", ConfigurationEditor.value(clientID)),
        ]
        if !chosen.isEmpty { values.append(("scopes", ConfigurationEditor.value(chosen))) }
        if !redirects.isEmpty { values.append(("redirect", ConfigurationEditor.value(redirects))) }
        if let clientSecretFile { values.append(("client_secret_file", ConfigurationEditor.value(clientSecretFile))) }
        return values
    }
}
