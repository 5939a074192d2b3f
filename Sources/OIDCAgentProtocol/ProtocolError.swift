package import AuthModel

/// The reason why the bytes of a client are not a request.
package enum ProtocolError: Error, Equatable, Sendable {
    /// The client sent more than ``MessageReader/limit``.
    case tooLarge
    /// The bytes have not the form of a message.
    case malformed
    /// A message was not encrypted with the keys of its connection, or was changed.
    case notAuthentic
    /// The client's key must not be used, for example because everyone could compute the shared key.
    case unsafeKey

    /// The failure for the client.
    package var failure: AuthFailure {
        switch self {
        case .tooLarge:
            AuthFailure(.usage, UserMessage("agent.request_too_large", ["limit": MessageReader.limit]))
        case .malformed: AuthFailure(.usage, "oidc_agent.message_malformed", hint: "hint.update_oidc_agent_client")
        case .notAuthentic: AuthFailure(.security, "oidc_agent.message_not_authentic", hint: "hint.try_again")
        case .unsafeKey: AuthFailure(.security, "oidc_agent.key_not_safe", hint: "hint.update_oidc_agent_client")
        }
    }
}
