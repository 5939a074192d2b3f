import Synchronization

/// RSA keys of this process, because making one takes a good part of a second.
///
/// A key is lent to one provider at a time and comes back when that is gone, so two that run side by side never share one.
final class RSAKeyPool: Sendable {
    static let shared = RSAKeyPool()

    private struct State {
        var free: [SigningKey] = []
        var stranger: SigningKey?
    }

    private let state = Mutex(State())

    /// A key on loan; it goes back to the stock with the last reference.
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

    /// A key that no provider ever publishes.
    func strangerKey() throws -> SigningKey {
        if let key = state.withLock(\.stranger) { return key }
        let made = try SigningKey.make(for: .rs256)
        return state.withLock { state in
            let key = state.stranger ?? made
            state.stranger = key
            return key
        }
    }
}
