package import AuthModel
internal import Localization

/// Answers the requests of oidc-agent's clients with the sessions: an account is a session.
///
/// Tokens are issued, refused and recorded as on the agent's own socket: the caller is the process that connected.
struct OIDCAgentService: Sendable {
    let service: AgentService

    /// Answers one request. A failure is an answer too.
    func answer(_ request: [UInt8], to caller: Caller) async -> OIDCAgentResponse {
        do throws(AuthFailure) {
            switch try OIDCAgentRequest(request) {
            case .token(let query): return try await token(query, to: caller)
            case .accounts: return .info(JSONValue(try await names()))
            case .accountsByIssuer: return .info(try await accountsByIssuer())
            case .status(let isStructured): return .info(try await status(isStructured: isStructured))
            case .check: return .success
            }
        } catch {
            return .failure(error)
        }
    }

    // MARK: Tokens

    private func token(_ query: OIDCAgentTokenQuery, to caller: Caller) async throws(AuthFailure) -> OIDCAgentResponse {
        if let obstacle = try await service.obstacle() { throw obstacle }
        let sessions = try await service.sessionService.sessions()
        let name = try await session(query.subject, among: sessions)
        let request = TokenRequest(
            session: name, wanted: query.wanted, minimumValidity: query.minimumValidity, restrictions: query.restrictions)
        let issued = try await service.issue(request, to: caller, for: query.application)
        // A client sends every token as Bearer.
        if query.wanted == .access { try issued.requireUnbound() }
        return .token(issued, query.wanted, issuer: try await issuer(of: issued.session, among: sessions))
    }

    private func session(_ subject: OIDCAgentTokenQuery.Subject, among sessions: [SessionSummary]) async throws(AuthFailure) -> SessionName
    {
        switch subject {
        case .account(let text):
            guard let name = SessionName(text) else {
                throw AuthFailure(
                    .usage, UserMessage("oidc_agent.invalid_account", ["account": text.oneLine(limit: 64)]),
                    hint: "hint.name_oidc_agent_account")
            }
            return name
        case .issuer(let issuer): return try await session(at: issuer, among: sessions)
        }
    }

    /// Returns the session of an issuer: the only one, or that of the default account.
    private func session(at issuer: String, among sessions: [SessionSummary]) async throws(AuthFailure) -> SessionName {
        let found = sessions.filter { $0.issuer.map { Self.isSame($0, issuer) } ?? false }
        let shown = issuer.oneLine(limit: 256)
        let providers = try await service.sessionService.providers()
        guard let first = found.first else {
            guard let provider = providers.first(where: { Self.isSame($0.address, issuer) }) else {
                throw AuthFailure(
                    .notSignedIn, UserMessage("oidc_agent.no_session_for_issuer", ["issuer": shown]),
                    hint: UserMessage("hint.sign_in_at_issuer", ["issuer": shown]))
            }
            throw AuthFailure(
                .notSignedIn, UserMessage("oidc_agent.no_session_for_issuer", ["issuer": shown]),
                hint: UserMessage("hint.sign_in", ["provider": provider.name]))
        }
        guard found.count > 1 else { return first.name }
        let standard = found.filter { session in
            providers.contains { $0.name == session.name.provider && $0.defaultAccount == session.name.account }
        }
        if standard.count == 1 { return standard[0].name }
        throw AuthFailure(
            .usage, UserMessage("oidc_agent.several_sessions_for_issuer", ["issuer": shown]),
            hint: UserMessage(
                "hint.request_oidc_agent_account", ["accounts": found.map(\.name.description).sorted().joined(separator: ", ")]))
    }

    /// Compares two issuers as oidc-agent does: byte by byte, except for a slash at the end.
    private static func isSame(_ left: String, _ right: String) -> Bool { trimmed(left).hasSameBytes(as: trimmed(right)) }

    private static func trimmed(_ issuer: String) -> Substring { issuer.hasSuffix("/") ? issuer.dropLast() : issuer[...] }

    private func issuer(of name: SessionName, among sessions: [SessionSummary]) async throws(AuthFailure) -> String {
        if let issuer = sessions.first(where: { $0.name == name })?.issuer { return issuer }
        return try await service.sessionService.providers().first { $0.name == name.provider }?.address ?? ""
    }

    // MARK: Lists

    private func names() async throws(AuthFailure) -> [String] {
        try await service.sessionService.sessions().map(\.name.description).sorted()
    }

    private func accountsByIssuer() async throws(AuthFailure) -> JSONValue {
        let now = service.time.now
        let sessions = try await service.sessionService.sessions().sorted { $0.name < $1.name }
        var issuers: [(issuer: String, accounts: [JSONValue.Member])] = []
        for session in sessions {
            guard let issuer = session.issuer else { continue }
            let account = JSONValue.Member(session.name.description, .bool(!session.hasEnded(at: now)))
            if let index = issuers.firstIndex(where: { $0.issuer.hasSameBytes(as: issuer) }) {
                issuers[index].accounts.append(account)
            } else {
                issuers.append((issuer, [account]))
            }
        }
        return .object(issuers.map { .init($0.issuer, .members(("pubclient", false), ("accounts", .object($0.accounts)))) })
    }

    private func status(isStructured: Bool) async throws(AuthFailure) -> JSONValue {
        let (version, names) = ("yett \(service.facts.version)", try await names())
        guard isStructured else { return .string("\(version)\naccounts: \(names.joined(separator: ", "))\n") }
        return .members(("version", .string(version)), ("command_line_options", ""), ("loaded_accounts", JSONValue(names)))
    }
}

/// A response to one of oidc-agent's clients.
package enum OIDCAgentResponse: Equatable, Sendable {
    /// `check`.
    case success
    /// Lists and the status.
    case info(JSONValue)
    /// A token, with the issuer of its session.
    case token(IssuedToken, TokenRequest.Wanted, issuer: String)
    /// A failure, with what to do next.
    case failure(AuthFailure)

    /// The JSON object. Its texts are English, because programs compare and print them.
    package var json: [UInt8] { Array(JSONValue.object([.init("status", isFailure ? "failure" : "success")] + members).text.utf8) }

    private var isFailure: Bool { if case .failure = self { true } else { false } }

    private var members: [JSONValue.Member] {
        switch self {
        case .success: return []
        case .info(let value): return [.init("info", value)]
        case .token(let issued, .access, let issuer):
            // Clients read a missing time as a failure; oidc-agent sends 0 if a provider does not tell it.
            let end = issued.expiresAt.map { $0.milliseconds / 1000 } ?? 0
            return [
                .init("access_token", .string(issued.token.reveal())), .init("issuer", .string(issuer)), .init("expires_at", .number(end)),
            ]
        case .token(let issued, .id, let issuer):
            return [.init("id_token", .string(issued.token.reveal())), .init("issuer", .string(issuer))]
        case .failure(let failure):
            // Its clients print both texts, the second one without a line end.
            let hint = failure.hintText.map { JSONValue.Member("info", .string($0.oneLine(limit: 1024) + "\n")) }
            return [.init("error", .string(failure.summary.oneLine(limit: 1024)))] + (hint.map { [$0] } ?? [])
        }
    }
}
