import SQLite

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
