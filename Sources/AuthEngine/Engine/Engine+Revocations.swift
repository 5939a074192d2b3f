public import AuthModel
internal import SessionStore

/// Telling providers of sign-outs that they could not be told of at once.
extension Engine {
    /// How long somebody who signs in or out waits for that at most, once their own wish is done.
    private static let patience: Duration = .seconds(2)

    public func deliverRevocations() async -> Timestamp? {
        await deliverDue()
        return try? await store.pendingRevocations().map(\.nextAttemptAt).min()
    }

    /// Begins to tell providers what is due; `nil` where that is nothing.
    func deliveryBegun() async -> AsyncStream<Never>? {
        let now = environment.time.now
        guard let waiting = try? await store.pendingRevocations(), waiting.contains(where: { $0.nextAttemptAt <= now }) else { return nil }
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        Task {
            await self.deliverDue()
            continuation.finish()
        }
        return end
    }

    /// Waits for what was begun, for as long as is bearable: a provider that keeps silent holds up nobody who is done with another one.
    func attendDelivery(_ end: AsyncStream<Never>?) async {
        guard let end else { return }
        let time = environment.time
        await withTaskGroup { group in
            group.addTask { for await _ in end {} }
            group.addTask { try? await time.sleep(until: time.bootTime + Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }

    private func deliverDue() async {
        guard let waiting = try? await store.pendingRevocations() else { return }
        for pending in waiting where pending.nextAttemptAt <= environment.time.now {
            guard let adapter = adapters[pending.revocation.session.provider] else { continue }
            // What cannot be noted is tried again at the next occasion: revoking twice does no harm.
            do throws(AuthFailure) {
                try await adapter.revoke(pending.revocation)
                try? await store.removeRevocation(pending.id)
                announce(.signedOut, pending.revocation.session, "a token that was left from the sign-out is revoked now")
            } catch {
                if Self.isRefusal(error) {
                    try? await store.removeRevocation(pending.id)
                    announce(
                        .signedOut, pending.revocation.session,
                        "a token that was left from the sign-out stays until it ends: \(error.summary)")
                } else {
                    let pause = max(Self.pause(after: pending.attempts), error.retryAfter ?? .zero)
                    try? await store.postponeRevocation(pending.id, until: environment.time.now + pause)
                }
            }
        }
    }

    /// Whether the provider itself said no, and why. After anything else the token must be taken to be alive (RFC 7009 section 2.2.1): what
    /// a network, a proxy or this machine's configuration says is not the provider's word, and may be mended.
    static func isRefusal(_ failure: AuthFailure) -> Bool {
        if case .denied(code: .some) = failure.kind { true } else { false }
    }

    /// Five minutes, doubling up to a day.
    private static func pause(after attempts: Int) -> Duration {
        .seconds(min(300 << min(max(attempts, 0), 9), 86_400))
    }
}

/// Revocations that a provider could not be told of.
struct QueuedRevocations {
    private(set) var revocations: [QueuedRevocation] = []
    /// How long the provider wants to be left alone (RFC 7009 section 2.2.1).
    private(set) var pause = Duration.zero

    mutating func add(_ revocation: QueuedRevocation, after failure: AuthFailure) {
        revocations.append(revocation)
        pause = max(pause, failure.retryAfter ?? .zero)
    }
}

extension AuthFailure {
    /// How long the provider asked to be left alone; `nil` where it did not.
    fileprivate var retryAfter: Duration? { if case .unavailable(let wait) = kind { wait } else { nil } }
}
