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

/// A request of one of oidc-agent's clients.
package enum OIDCAgentRequest: Equatable, Sendable {
    /// `access_token` and `id_token`.
    case token(OIDCAgentTokenQuery)
    /// `loaded_accounts`: the names of the accounts.
    case accounts
    /// `account_info`: the accounts of each issuer.
    case accountsByIssuer
    /// `status` and `status_json`: the agent's version and its accounts.
    case status(isStructured: Bool)
    /// `check`: whether an agent answers.
    case check

    /// Reads a request. Throws `.usage` if it is malformed, unknown, or asks for more than tokens and lists.
    package init(_ bytes: [UInt8]) throws(AuthFailure) {
        guard let document = try? JSONValue(strict: bytes, limits: JSONValue.Limits(bytes: OIDCAgentMessageReader.limit, depth: 8)),
            let name = document["request"]?.string
        else { throw OIDCAgentError.malformed.failure }
        switch name {
        case "access_token": self = .token(try OIDCAgentTokenQuery(document, .access))
        case "id_token": self = .token(try OIDCAgentTokenQuery(document, .id))
        case "loaded_accounts": self = .accounts
        case "account_info": self = .accountsByIssuer
        case "status": self = .status(isStructured: false)
        case "status_json": self = .status(isStructured: true)
        case "check": self = .check
        case "add", "gen", "register", "code_exchange", "state_lookup", "device", "reauthenticate", "term_http_server":
            throw Self.refusal(of: name, hint: "hint.use_yett_login")
        case "remove", "remove_all", "delete", "delete_client": throw Self.refusal(of: name, hint: "hint.use_yett_logout")
        case "lock", "unlock": throw Self.refusal(of: name, hint: "hint.use_yett_agent_lock")
        default: throw Self.refusal(of: name, hint: "hint.oidc_agent_requests")
        }
    }

    private static func refusal(of name: String, hint: UserMessage) -> AuthFailure {
        AuthFailure(.denied(code: nil), UserMessage("oidc_agent.request_refused", ["request": name.oneLine(limit: 32)]), hint: hint)
    }
}

/// A request for a token, as oidc-agent's clients make it.
package struct OIDCAgentTokenQuery: Equatable, Sendable {
    /// A name of a session in a request.
    package enum Subject: Equatable, Sendable {
        /// oidc-agent's short name of an account: the name of a session.
        case account(String)
        /// The URL of an issuer.
        case issuer(String)
    }

    /// The name by which the client requests the session.
    package var subject: Subject
    /// The type of the token.
    package var wanted: TokenRequest.Wanted
    /// The minimum remaining lifetime.
    package var minimumValidity: Duration
    /// The scope and audience; those of the session if the client names none.
    package var restrictions: TokenRestrictions
    /// The client's own name, on one line.
    package var application: String?

    /// More than the lifetime of any token, so that the token is renewed: what a client wants that sends a negative number.
    package static let always = Duration.seconds(100 * 365 * 86_400)

    /// Reads the members of a request. Throws `.usage` if one has a wrong type, because a member that is ignored could mean a token with
    /// more permissions than requested.
    init(_ document: JSONValue, _ wanted: TokenRequest.Wanted) throws(AuthFailure) {
        self.wanted = wanted
        let (account, issuer) = (try Self.text("account", in: document), try Self.text("issuer", in: document))
        switch (account, issuer) {
        // `oidc-token` takes only https URLs for issuers, and the test provider's issuer is none. No account has a colon.
        case (let account?, nil): subject = account.contains("://") ? .issuer(account) : .account(account)
        case (nil, let issuer?): subject = .issuer(issuer)
        default: throw AuthFailure(.usage, "oidc_agent.needs_account_or_issuer", hint: "hint.name_oidc_agent_account")
        }
        minimumValidity = try Self.validity(in: document)
        application = try Self.text("application_hint", in: document).map { $0.oneLine(limit: 64) }
        let scopes = try Self.scopes(in: document)
        guard scopes.allSatisfy(ScopeSet.isScope) else { throw Self.invalid("scope") }
        restrictions = TokenRestrictions(scopes: ScopeSet(scopes), audience: try Self.text("audience", in: document))
    }

    /// Reads a text; `nil` if it is missing or empty.
    private static func text(_ name: String, in document: JSONValue) throws(AuthFailure) -> String? {
        switch document[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text.isEmpty ? nil : text
        default: throw invalid(name)
        }
    }

    private static func scopes(in document: JSONValue) throws(AuthFailure) -> [String] {
        if let list = document["scope"]?.strings { return list }
        return ScopeSet(wire: try text("scope", in: document) ?? "").values
    }

    /// Reads the seconds: a number, or digits as older clients send them.
    private static func validity(in document: JSONValue) throws(AuthFailure) -> Duration {
        let name = "min_valid_period"
        let seconds: Int64?
        switch document[name] {
        case nil, .null?: return SessionSummary.freshness
        case .string(let text)?: seconds = text.isEmpty ? 0 : Int64(text)
        // Go's client has an unsigned number, whose greatest values do not fit.
        case let value?: seconds = value.integer ?? value.double.flatMap { $0 > 9e15 ? .max : nil }
        }
        guard let seconds else { throw invalid(name) }
        guard seconds >= 0 else { return always }
        return max(SessionSummary.freshness, min(.seconds(seconds), always))
    }

    private static func invalid(_ name: String) -> AuthFailure {
        AuthFailure(.usage, UserMessage("oidc_agent.invalid_member", ["name": name]), hint: "hint.update_oidc_agent_client")
    }
}

extension String {
    /// The text on one line, without characters that could control a terminal or change the order of others, and not longer than a limit
    /// in bytes.
    package func oneLine(limit: Int) -> String {
        var line = ""
        for scalar in prefix(bytes: limit).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: line += "?"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
