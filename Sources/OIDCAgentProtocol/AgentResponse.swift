package import AuthModel
internal import Localization

/// A response to one of oidc-agent's clients.
package enum AgentResponse: Equatable, Sendable {
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
