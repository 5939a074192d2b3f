internal import AuthModel
internal import SessionStore

/// Revocations that did not reach the provider.
struct QueuedRevocations {
    private(set) var revocations: [QueuedRevocation] = []
    /// The wait that the provider asked for (RFC 7009 section 2.2.1).
    private(set) var pause = Duration.zero

    mutating func add(_ revocation: QueuedRevocation, after failure: AuthFailure) {
        revocations.append(revocation)
        pause = max(pause, failure.retryAfter ?? .zero)
    }
}

extension AuthFailure {
    /// Whether the provider itself refused a revocation with an error code. After any other failure the token must be assumed to be alive
    /// (RFC 7009 section 2.2.1): an error of the network, a proxy or this machine's configuration is not the provider's answer, and may be
    /// fixed.
    var isRefusedRevocation: Bool { if case .denied(code: .some) = kind { true } else { false } }

    /// The wait that the provider asked for; `nil` if it did not.
    var retryAfter: Duration? { if case .unavailable(let wait) = kind { wait } else { nil } }
}
