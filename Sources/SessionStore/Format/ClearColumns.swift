import AuthModel
import SQLite

/// The columns that a table stores unencrypted beside a sealed payload, and authenticates with it.
protocol ClearColumns: Sendable {
    static var table: String { get }
    /// The column names, in the order of ``databaseValues``.
    static var names: [String] { get }
    var databaseValues: [SQLiteValue] { get }
    init(_ reader: inout ColumnReader) throws(StoreError)
}

/// Reads a row's values one after the other. Throws ``StoreError/Kind/altered`` for a value of the wrong type, because yett did not write
/// it.
struct ColumnReader {
    private var values: ArraySlice<SQLiteValue>
    /// The scopes read so far, by their text. Most sessions have the same scopes.
    private var knownScopes: [String: ScopeSet] = [:]

    init(_ values: ArraySlice<SQLiteValue> = []) { self.values = values }

    /// Continues with another row.
    mutating func begin(_ values: ArraySlice<SQLiteValue>) { self.values = values }

    private mutating func next() throws(StoreError) -> SQLiteValue {
        guard let value = values.popFirst() else { throw StoreError(.altered) }
        return value
    }

    mutating func integer() throws(StoreError) -> Int64 {
        guard case .integer(let number) = try next() else { throw StoreError(.altered) }
        return number
    }

    mutating func text() throws(StoreError) -> String {
        guard case .text(let text) = try next() else { throw StoreError(.altered) }
        return text
    }

    mutating func blob() throws(StoreError) -> [UInt8] {
        guard case .blob(let bytes) = try next() else { throw StoreError(.altered) }
        return bytes
    }

    mutating func flag() throws(StoreError) -> Bool {
        switch try integer() {
        case 0: return false
        case 1: return true
        default: throw StoreError(.altered)
        }
    }

    mutating func moment() throws(StoreError) -> Timestamp { Timestamp(milliseconds: try integer()) }

    private mutating func skipsNull() -> Bool {
        guard values.first == .null else { return false }
        values.removeFirst()
        return true
    }

    mutating func optionalInteger() throws(StoreError) -> Int64? { skipsNull() ? nil : try integer() }
    mutating func optionalText() throws(StoreError) -> String? { skipsNull() ? nil : try text() }
    mutating func optionalBlob() throws(StoreError) -> [UInt8]? { skipsNull() ? nil : try blob() }
    mutating func optionalMoment() throws(StoreError) -> Timestamp? { skipsNull() ? nil : try moment() }

    /// Reads texts that were joined by line feeds.
    mutating func lines() throws(StoreError) -> [String] { Self.lines(of: try text()) }

    mutating func scopes() throws(StoreError) -> ScopeSet {
        let text = try text()
        if let known = knownScopes[text] { return known }
        let scopes = ScopeSet(Self.lines(of: text))
        knownScopes[text] = scopes
        return scopes
    }

    private static func lines(of text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    }
}

extension Timestamp {
    var databaseValue: SQLiteValue { .integer(milliseconds) }
}

extension Optional where Wrapped == Timestamp {
    var databaseValue: SQLiteValue { map(\.databaseValue) ?? .null }
}

extension [String] {
    /// Joins the texts by line feeds. Line breaks within a text become spaces.
    var joinedLines: SQLiteValue {
        let lines = map { text in
            guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
            return String(text.map { $0.isNewline ? " " : $0 })
        }
        return .text(lines.joined(separator: "\n"))
    }
}
