public import AuthModel
import SQLite

extension SessionStore {
    /// Returns another value that is stored sealed under a key of the caller's choice, for example a client registration; `nil` if there is
    /// none. The key is stored unencrypted.
    public func sealedValue(for key: String) async throws(StoreError) -> Secret? {
        try await readUnlocked { transaction in try transaction.value(for: key) }
    }

    /// Returns several values by their keys, in one transaction. Missing values are left out.
    public func sealedValues(for keys: [String]) async throws(StoreError) -> [String: Secret] {
        try await readUnlocked { transaction in
            var values: [String: Secret] = [:]
            for key in keys { values[key] = try transaction.value(for: key) }
            return values
        }
    }

    /// Stores a value; `nil` deletes it.
    public func setSealedValue(_ value: Secret?, for key: String) async throws(StoreError) {
        try await write { transaction in try transaction.setValue(value, for: key) }
    }
}
