package import AuthModel

/// A request of one of oidc-agent's clients.
package enum ClientRequest: Equatable, Sendable {
    /// `access_token` and `id_token`.
    case token(TokenQuery)
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
        guard let document = try? JSONValue(strict: bytes, limits: JSONValue.Limits(bytes: MessageReader.limit, depth: 8)),
            let name = document["request"]?.string
        else { throw ProtocolError.malformed.failure }
        switch name {
        case "access_token": self = .token(try TokenQuery(document, .access))
        case "id_token": self = .token(try TokenQuery(document, .id))
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
