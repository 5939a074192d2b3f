internal import AuthEngine
internal import AuthModel

/// The session whose tokens a tool is to have, and how they are taken.
struct ToolSession {
    let session: SessionSummary
    let provider: ProviderConfiguration
    let service: any SessionService
    /// Where the tool sends the token, as far as it says so.
    var resource: WebURL?

    /// The session that is named on the command line.
    static func named(_ text: String, in context: CommandContext) async throws -> ToolSession {
        let name = try SessionName(argument: text)
        let provider = try context.configurationFile().read().named(name.provider.text)
        let service = try await context.unlockedService()
        return ToolSession(session: try await service.only(name), provider: provider, service: service)
    }

    /// The session whose tokens may be sent to `url`: the one that is named, else the only one there is, or the one of the account `user`.
    /// `nil` where no provider's tokens are for that address.
    ///
    /// Throws `.security` where the tokens of a named session must not go there, `.notSignedIn` where nobody is signed in, `.usage` where
    /// several sessions fit.
    static func reaching(
        _ url: WebURL, named text: String?, user: String? = nil, in context: CommandContext
    ) async throws -> ToolSession? {
        let configuration = try context.configurationFile().read()
        var name: SessionName?
        var providers = configuration.providers.filter { TokenDestinations(provider: $0).includes(url) }
        if let text {
            let wanted = try SessionName(argument: text)
            let provider = try configuration.named(wanted.provider.text)
            try TokenDestinations(provider: provider).require(url, in: configuration)
            (name, providers) = (wanted, [provider])
        }
        guard let first = providers.first else { return nil }
        let service = try await context.unlockedService()
        let sessions = try await service.sessions().filter { session in providers.contains { $0.name == session.name.provider } }
        let chosen: SessionSummary
        if let name {
            chosen = try await service.only(name, among: sessions)
        } else if sessions.isEmpty {
            throw AuthFailure(.notSignedIn, "nobody is signed in at \(first.name)", hint: "sign in with: yett login \(first.name)")
        } else if sessions.count > 1, let user, let own = sessions.first(where: { $0.name.account == user }) {
            chosen = own
        } else {
            // Among those of one provider its active account is meant.
            let isOneProviders = Set(sessions.map(\.name.provider)).count == 1
            chosen = try await service.only(isOneProviders ? SessionName(provider: first.name, account: nil) : nil, among: sessions)
        }
        guard let provider = providers.first(where: { $0.name == chosen.name.provider }) else { return nil }
        return ToolSession(session: chosen, provider: provider, service: service, resource: url)
    }

    /// A fresh token for `tool`, which sends it as it is. A token that is bound to a key is refused: the tool could not prove it.
    func token(
        for tool: String, wanted: TokenRequest.Wanted = .access, terms: TokenRestrictions = .session, in context: CommandContext
    ) async throws(AuthFailure) -> IssuedToken {
        var prompt = ConsentPrompt(context: context)
        let grant = try await prompt.token(
            TokenRequest(session: session.name, wanted: wanted, terms: terms, caller: "yett helper \(tool)", resource: resource),
            from: service)
        guard !grant.isBound else {
            throw AuthFailure(
                .configuration, "tokens of \(session.name) are bound to a key, and \(tool) cannot prove that it is there",
                hint: "set dpop = \"off\" in [providers.\(provider.name)], and sign in again")
        }
        return grant
    }
}

extension CommandContext {
    /// The lines of standard input, exactly as they are, up to an empty one or its end. Throws `.usage` beyond 256 KB.
    func requestLines() async throws(AuthFailure) -> [String] {
        var lines: [String] = []
        var count = 0
        while let line = await edges.streams.exactLine(), !line.isEmpty {
            count += line.utf8.count + 1
            guard count <= 256 << 10 else {
                throw AuthFailure(.usage, "the request on standard input is too long", hint: "it ends with an empty line")
            }
            lines.append(line)
        }
        return lines
    }

    /// The only line of standard input, for a tool that sends one value. Throws `.usage` for several, and for a control character in it.
    func requestLine(of tool: String) async throws(AuthFailure) -> String {
        let lines = try await requestLines()
        guard lines.count <= 1, lines.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }) else {
            throw AuthFailure(
                .usage, "the request on standard input is not \(tool)'s: it must be one line without control characters",
                hint: "\(tool) calls this command by itself; see: yett help tools")
        }
        return lines.first?.trimmed.description ?? ""
    }

    /// Refuses to show a secret on a terminal, where it would stay in the scrollback.
    func requireNoTerminal(for tool: String) throws(AuthFailure) {
        guard edges.streams.isAnswerTerminal else { return }
        throw AuthFailure(
            .usage, "a token is not printed to a terminal", hint: "\(tool) calls this command by itself; see: yett help tools")
    }
}
