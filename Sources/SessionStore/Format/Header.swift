import AuthModel
import Crypto
import SQLite

/// The store's header: its identity, how it is sealed, and the wrapped data key.
struct Header: Equatable, Sendable {
    /// The format that this code writes: the sealed data, the algorithms and the authenticated contexts.
    static let currentFormat: Int64 = 1

    var format = Header.currentFormat
    /// The store's identity: 16 random bytes that never change.
    var store: [UInt8]
    var seal: Seal
    /// The key derivation for a passphrase; `nil` for other seals.
    var derivation: KeyDerivation?
    /// The wrapped data key; empty for a store in memory.
    var wrapped: [UInt8] = []

    init(store: [UInt8], seal: Seal, derivation: KeyDerivation? = nil) {
        self.store = store
        self.seal = seal
        self.derivation = derivation
    }

    /// Returns a header for a new store.
    static func fresh(_ seal: Seal, derivation: KeyDerivation? = nil) -> Header {
        var generator = SystemRandomNumberGenerator()
        let store = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Header(store: store, seal: seal, derivation: derivation)
    }

    /// The store's identity as hexadecimal digits, for key storages.
    var storeIdentifier: String { String(decoding: Hex.digits(store), as: UTF8.self) }

    /// The data that the wrapping authenticates: every field except ``wrapped``.
    var context: [UInt8] {
        var bytes = CanonicalBytes(purpose: "yett store data key")
        for value in values.dropLast() { bytes.append(value) }
        return bytes.bytes
    }

    func unwrap(with key: SymmetricKey) -> StoreKeys? { StoreKeys(unwrapping: wrapped, with: key, authenticating: context) }

    mutating func wrap(_ keys: StoreKeys, with key: SymmetricKey) throws { wrapped = try keys.wrapped(with: key, authenticating: context) }
}

extension Header {
    private static let names = "format, store, seal, salt, cost, block_size, parallelism, wrapped"

    var values: [SQLiteValue] {
        [
            .integer(format), .blob(store), .text(seal.rawValue), SQLiteValue(derivation?.salt), SQLiteValue(derivation?.cost),
            SQLiteValue(derivation?.blockSize), SQLiteValue(derivation?.parallelism), .blob(wrapped),
        ]
    }

    /// Reads the header. Throws unless there is exactly one and this code understands it.
    init(in db: Database) throws {
        let rows = try db.rows(of: "SELECT \(Self.names) FROM header")
        guard let row = rows.first, rows.count == 1 else { throw StoreError(.altered) }
        var reader = ColumnReader(row[...])
        let format = try reader.integer()
        guard format <= Self.currentFormat else { throw StoreError(.newerFormat) }
        guard format == Self.currentFormat else { throw StoreError(.altered) }
        store = try reader.blob()
        guard store.count == 16, let seal = Seal(rawValue: try reader.text()) else { throw StoreError(.altered) }
        self.seal = seal
        let salt = try reader.optionalBlob()
        let cost = try reader.optionalInteger()
        let blockSize = try reader.optionalInteger()
        let parallelism = try reader.optionalInteger()
        if let salt, let cost, let blockSize, let parallelism {
            derivation = KeyDerivation(salt: salt, cost: cost, blockSize: blockSize, parallelism: parallelism)
        }
        guard (derivation != nil) == (seal == .passphrase) else { throw StoreError(.altered) }
        wrapped = try reader.blob()
    }

    /// Writes the header in place of the existing one.
    func write(in db: Database) throws {
        try db.run("DELETE FROM header")
        try db.run("INSERT INTO header (\(Self.names)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    }
}
