package import AuthModel

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

    /// Reads the members of a request. Throws `.usage` if one has a wrong type, because a member that is ignored could mean a token with more
    /// permissions than requested.
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
