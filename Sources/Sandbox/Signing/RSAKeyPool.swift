import Synchronization

/// A pool of RSA keys in this process, because creating one takes a good part of a second.
///
/// A key is leased to one provider at a time and returns to the pool when that provider is released, so two running providers never share a
/// key.
final class RSAKeyPool: Sendable {
    static let shared = RSAKeyPool()

    private struct State {
        var free: [SigningKey] = []
        var unpublishedKey: SigningKey?
    }

    private let state = Mutex(State())

    /// A leased key; it returns to the pool with the last reference.
    final class Lease: Sendable {
        let key: SigningKey
        private let stock: RSAKeyPool

        init(key: SigningKey, stock: RSAKeyPool) {
            self.key = key
            self.stock = stock
        }

        deinit { stock.state.withLock { $0.free.append(key) } }
    }

    func borrow() throws -> Lease {
        let free = state.withLock { $0.free.popLast() }
        return Lease(key: try free ?? .make(for: .rs256), stock: self)
    }

    /// Returns a key that no provider ever publishes.
    func unpublishedKey() throws -> SigningKey {
        if let key = state.withLock(\.unpublishedKey) { return key }
        let made = try SigningKey.make(for: .rs256)
        return state.withLock { state in
            let key = state.unpublishedKey ?? made
            state.unpublishedKey = key
            return key
        }
    }
}
