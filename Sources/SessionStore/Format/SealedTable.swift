import AuthModel
import Crypto
import FoundationEssentials
import Glibc

/// A row of a sealed table: its clear columns and the tag of its payload.
struct Entry<Columns: ClearColumns>: Sendable {
    /// The row's identity. It is never used again for another row.
    let id: Int64
    /// The revision of the store that wrote the row.
    let version: Int64
    /// Authenticates payload, columns, identity and version.
    let tag: [UInt8]
    let columns: Columns
    /// The data that the payload is bound to: store, table, identity, version and the columns as they are on disk.
    let context: [UInt8]

    static func context(store: [UInt8], id: Int64, version: Int64, values: some Sequence<SQLiteValue>) -> [UInt8] {
        var bytes = CanonicalBytes(purpose: "yett store 1 payload")
        bytes.append(.blob(store))
        bytes.append(Columns.table)
        bytes.append(id)
        bytes.append(version)
        for value in values { bytes.append(value) }
        return bytes.bytes
    }
}

/// A table of sealed rows. The clear part of every row is in memory, ordered by id.
struct SealedTable<Columns: ClearColumns> {
    private(set) var entries: [Entry<Columns>] = []

    private static var columnList: String { (["id", "version", "tag"] + Columns.names).joined(separator: ", ") }

    init(in db: Database, store: [UInt8]) throws {
        var entries: [Entry<Columns>] = []
        var reader = ColumnReader()
        try db.forEachRow(of: "SELECT \(Self.columnList) FROM \(Columns.table) ORDER BY id") { values in
            reader.begin(values[...])
            let (id, version, tag) = (try reader.integer(), try reader.integer(), try reader.blob())
            let context = Entry<Columns>.context(store: store, id: id, version: version, values: values.dropFirst(3))
            entries.append(Entry(id: id, version: version, tag: tag, columns: try Columns(&reader), context: context))
        }
        self.entries = entries
    }

    /// Hashes everything that the roster's digest covers.
    func hash(into hasher: inout SHA256) {
        var count = CanonicalBytes(purpose: Columns.table)
        count.append(Int64(entries.count))
        hasher.update(data: count.bytes)
        for entry in entries {
            hasher.update(data: entry.context)
            hasher.update(data: entry.tag)
        }
    }

    /// Seals and writes a row; replaces the row with the same id.
    mutating func put(_ columns: Columns, payload: Secret, id: Int64, version: Int64, store: [UInt8], keys: StoreKeys, in db: Database)
        throws
    {
        let values = columns.databaseValues
        // SQLite ends a text at its first NUL, so such a text would be read back differently.
        for case .text(let text) in values where text.utf8.contains(0) {
            throw StoreError(.invalid("store.text_has_nul"))
        }
        let context = Entry<Columns>.context(store: store, id: id, version: version, values: values)
        let sealed = try keys.seal(payload, authenticating: context)
        let marks = Array(repeating: "?", count: values.count + 3).joined(separator: ", ")
        try db.run(
            "INSERT OR REPLACE INTO \(Columns.table) (\(Self.columnList)) VALUES (\(marks))",
            [.integer(id), .integer(version), .blob(sealed.tag)] + values)
        try db.run("INSERT OR REPLACE INTO payloads (id, box) VALUES (?, ?)", [.integer(id), .blob(sealed.box)])
        // Keep the row as it would be read back: the next transaction may use it without reading.
        var reader = ColumnReader(values[...])
        let entry = Entry(id: id, version: version, tag: sealed.tag, columns: try Columns(&reader), context: context)
        // A new row's id is greater than all others.
        if id <= entries.last?.id ?? 0, let index = entries.firstIndex(where: { $0.id == id }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }

    mutating func remove(id: Int64, in db: Database) throws {
        try db.run("DELETE FROM \(Columns.table) WHERE id = ?", [.integer(id)])
        try db.run("DELETE FROM payloads WHERE id = ?", [.integer(id)])
        entries.removeAll { $0.id == id }
    }

    /// Opens the payload of a row.
    func payload(of entry: Entry<Columns>, keys: StoreKeys, in db: Database) throws -> Secret {
        guard let box = try db.firstValue(of: "SELECT box FROM payloads WHERE id = ?", [.integer(entry.id)])?.blob else {
            throw StoreError(.altered)
        }
        return try keys.open(SealedPayload(box: box, tag: entry.tag), authenticating: entry.context)
    }
}

/// An unambiguous byte encoding of values: each with its type, texts and blobs with their length. Values are authenticated in this form.
struct CanonicalBytes {
    private(set) var bytes: [UInt8] = []

    /// Starts with the purpose of the bytes, so that no two purposes share an encoding.
    init(purpose: String) {
        bytes.reserveCapacity(512)
        append(purpose)
    }

    mutating func append(_ value: SQLiteValue) {
        switch value {
        case .null: bytes.append(0)
        case .integer(let number):
            bytes.append(1)
            append(UInt64(bitPattern: number))
        case .real(let number):
            bytes.append(2)
            append(number.bitPattern)
        case .text(let text): append(text)
        case .blob(let data):
            bytes.append(4)
            append(UInt64(data.count))
            bytes.append(contentsOf: data)
        }
    }

    mutating func append(_ number: Int64) { append(.integer(number)) }

    mutating func append(_ text: String) {
        bytes.append(3)
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(_ word: UInt64) {
        withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The keys of an open store, derived from the data key: one seals payloads, one authenticates the roster.
struct StoreKeys: Sendable {
    private let data: SymmetricKey
    private let payloads: SymmetricKey
    private let roster: SymmetricKey

    init() { self.init(data: SymmetricKey(size: .bits256)) }

    private init(data: SymmetricKey) {
        self.data = data
        payloads = HKDF<SHA256>.deriveKey(inputKeyMaterial: data, info: Array("yett store 1 payloads".utf8), outputByteCount: 32)
        roster = HKDF<SHA256>.deriveKey(inputKeyMaterial: data, info: Array("yett store 1 roster".utf8), outputByteCount: 32)
    }

    /// Unwraps the data key with the key source's key; `nil` if that is another key or the wrapped key was changed.
    init?(unwrapping wrapped: [UInt8], with key: SymmetricKey, authenticating header: [UInt8]) {
        guard let box = try? AES.GCM.SealedBox(combined: wrapped), var bytes = try? AES.GCM.open(box, using: key, authenticating: header)
        else { return nil }
        defer { bytes.zeroize() }
        guard bytes.count == 32 else { return nil }
        self.init(data: SymmetricKey(data: bytes))
    }

    /// Returns the data key, sealed with the key source's key.
    func wrapped(with key: SymmetricKey, authenticating header: [UInt8]) throws -> [UInt8] {
        let box = try data.withUnsafeBytes { try AES.GCM.seal($0, using: key, authenticating: header) }
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Seals a payload with a new random nonce.
    func seal(_ payload: Secret, authenticating context: [UInt8]) throws -> SealedPayload {
        let box = try payload.withBytes { try AES.GCM.seal($0, using: payloads, authenticating: context) }
        return SealedPayload(box: Array(box.nonce) + Array(box.ciphertext), tag: Array(box.tag))
    }

    /// Opens a payload. Throws ``StoreError/Kind/altered`` if the payload, its tag or its context was changed.
    func open(_ sealed: SealedPayload, authenticating context: [UInt8]) throws(StoreError) -> Secret {
        guard sealed.box.count >= 12, let nonce = try? AES.GCM.Nonce(data: sealed.box.prefix(12)),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: sealed.box.dropFirst(12), tag: sealed.tag),
            var bytes = try? AES.GCM.open(box, using: payloads, authenticating: context)
        else { throw StoreError(.altered) }
        defer { bytes.zeroize() }
        return Secret(bytes: bytes)
    }

    /// Returns the authentication code of a digest of the whole store.
    func authenticationCode(for digest: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: digest, using: roster)) }

    /// Returns whether `code` authenticates `digest`.
    func isValid(_ code: [UInt8], for digest: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: digest, using: roster)
    }
}

/// A payload as stored on disk. The tag is stored separately, beside the clear columns that it authenticates.
struct SealedPayload: Sendable {
    /// Nonce and ciphertext.
    var box: [UInt8]
    var tag: [UInt8]
}

extension Data {
    /// Overwrites the bytes with zeros. Use it for a value with one owner: a shared value is copied first.
    mutating func zeroize() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes with zeros. Use it for a value with one owner: a shared value is copied first.
    mutating func zeroize() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}
