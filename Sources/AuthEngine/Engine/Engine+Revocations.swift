public import AuthModel
internal import SessionStore

/// Delivers revocations that could not be sent during the sign-out.
extension Engine {
    /// Maximum time that a sign-in or sign-out waits for queued revocations, after its own work is done.
    private static let patience: Duration = .seconds(2)

    /// Sends the queued revocations that are due. Returns when the next one is due; `nil` if none is left.
    public func deliverRevocations() async -> Timestamp? {
        await sendDueRevocations()
        return try? await store.pendingRevocations().map(\.nextAttemptAt).min()
    }

    /// Starts sending the revocations that are due; `nil` if there are none. The stream finishes when they are sent.
    func startDelivery() async -> AsyncStream<Never>? {
        let now = environment.time.now
        guard let waiting = try? await store.pendingRevocations(), waiting.contains(where: { $0.nextAttemptAt <= now }) else { return nil }
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        Task {
            await self.sendDueRevocations()
            continuation.finish()
        }
        return end
    }

    /// Waits for the delivery to finish, but at most ``patience``: a silent provider must not delay work at another one.
    func waitForDelivery(_ end: AsyncStream<Never>?) async {
        guard let end else { return }
        let time = environment.time
        await withTaskGroup { group in
            group.addTask { for await _ in end {} }
            group.addTask { try? await time.sleep(until: time.bootTime + Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }

    private func sendDueRevocations() async {
        guard let waiting = try? await store.pendingRevocations() else { return }
        for pending in waiting where pending.nextAttemptAt <= environment.time.now {
            guard let adapter = adapters[pending.revocation.session.provider] else { continue }
            // If the result cannot be stored, the revocation is sent again later. Revoking twice does no harm.
            do throws(AuthFailure) {
                try await adapter.revoke(pending.revocation)
                try? await store.removeRevocation(pending.id)
                announce(.signedOut, pending.revocation.session, "a token left from the sign-out was revoked")
            } catch {
                if Self.isRefusal(error) {
                    try? await store.removeRevocation(pending.id)
                    announce(
                        .signedOut, pending.revocation.session,
                        "a token left from the sign-out stays valid until it expires: \(error.summary)")
                } else {
                    let pause = max(Self.pause(after: pending.attempts), error.retryAfter ?? .zero)
                    try? await store.postponeRevocation(pending.id, until: environment.time.now + pause)
                }
            }
        }
    }

    /// Returns whether the provider itself refused the revocation with an error code. After any other failure the token must be assumed to
    /// be alive (RFC 7009 section 2.2.1): an error of the network, a proxy or this machine's configuration is not the provider's answer,
    /// and may be fixed.
    static func isRefusal(_ failure: AuthFailure) -> Bool {
        if case .denied(code: .some) = failure.kind { true } else { false }
    }

    /// Returns five minutes, doubled per attempt up to a day.
    private static func pause(after attempts: Int) -> Duration {
        .seconds(min(300 << min(max(attempts, 0), 9), 86_400))
    }
}

/// Revocations that did not reach the provider.
struct QueuedRevocations {
    private(set) var revocations: [QueuedRevocation] = []
    /// How long the provider asked us to wait (RFC 7009 section 2.2.1).
    private(set) var pause = Duration.zero

    mutating func add(_ revocation: QueuedRevocation, after failure: AuthFailure) {
        revocations.append(revocation)
        pause = max(pause, failure.retryAfter ?? .zero)
    }
}

extension AuthFailure {
    /// How long the provider asked us to wait; `nil` if it did not.
    fileprivate var retryAfter: Duration? { if case .unavailable(let wait) = kind { wait } else { nil } }
}
