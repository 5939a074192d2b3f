public import AuthModel
import GRDB

extension SessionStore {
    /// Something else that is kept sealed under a key of the caller's choice, such as a client registration. The key is in the clear.
    public func sealedValue(for key: String) async throws(StoreError) -> Secret? {
        try await readUnlocked { transaction in try transaction.value(for: key) }
    }

    /// Several of them, by their keys, in one look; those that are not kept are left out.
    public func sealedValues(for keys: [String]) async throws(StoreError) -> [String: Secret] {
        try await readUnlocked { transaction in
            var values: [String: Secret] = [:]
            for key in keys { values[key] = try transaction.value(for: key) }
            return values
        }
    }

    /// Keeps a value, or removes it with `nil`.
    public func setSealedValue(_ value: Secret?, for key: String) async throws(StoreError) {
        try await write { transaction in try transaction.setValue(value, for: key) }
    }
}
