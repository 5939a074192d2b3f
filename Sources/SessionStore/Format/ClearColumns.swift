import AuthModel
import FoundationEssentials
import GRDB

/// The columns that a table stores unencrypted beside a sealed payload, and authenticates with it.
protocol ClearColumns: Sendable {
    static var table: String { get }
    /// The column names, in the order of ``databaseValues``.
    static var names: [String] { get }
    var databaseValues: [DatabaseValue] { get }
    init(_ reader: inout ColumnReader) throws(StoreError)
}

/// Reads a row's values one after the other. Throws ``StoreError/Kind/altered`` for a value of the wrong type, because yett did not write
/// it.
struct ColumnReader {
    private var values: ArraySlice<DatabaseValue>
    /// The scopes read so far, by their text. Most sessions have the same scopes.
    private var knownScopes: [String: ScopeSet] = [:]

    init(_ values: ArraySlice<DatabaseValue> = []) { self.values = values }

    /// Continues with another row.
    mutating func begin(_ values: ArraySlice<DatabaseValue>) { self.values = values }

    private mutating func next() throws(StoreError) -> DatabaseValue {
        guard let value = values.popFirst() else { throw StoreError(.altered) }
        return value
    }

    mutating func integer() throws(StoreError) -> Int64 {
        guard case .int64(let number) = try next().storage else { throw StoreError(.altered) }
        return number
    }

    mutating func text() throws(StoreError) -> String {
        guard case .string(let text) = try next().storage else { throw StoreError(.altered) }
        return text
    }

    mutating func blob() throws(StoreError) -> Data {
        guard case .blob(let data) = try next().storage else { throw StoreError(.altered) }
        return data
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
        guard values.first?.isNull == true else { return false }
        values.removeFirst()
        return true
    }

    mutating func optionalInteger() throws(StoreError) -> Int64? { skipsNull() ? nil : try integer() }
    mutating func optionalText() throws(StoreError) -> String? { skipsNull() ? nil : try text() }
    mutating func optionalBlob() throws(StoreError) -> Data? { skipsNull() ? nil : try blob() }
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
    var databaseValue: DatabaseValue { milliseconds.databaseValue }
}

extension Optional where Wrapped == Timestamp {
    var databaseValue: DatabaseValue { map(\.databaseValue) ?? .null }
}

extension [String] {
    /// Joins the texts by line feeds. Line breaks within a text become spaces.
    var joinedLines: DatabaseValue {
        map { text in
            guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
            return String(text.map { $0.isNewline ? " " : $0 })
        }.joined(separator: "\n").databaseValue
    }
}
