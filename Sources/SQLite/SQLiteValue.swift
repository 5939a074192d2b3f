/// A value of a column or a parameter.
package enum SQLiteValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Creates a text, or null.
    package init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }

    /// Creates an integer, or null.
    package init(_ number: Int64?) { self = number.map(SQLiteValue.integer) ?? .null }

    /// Creates a blob, or null.
    package init(_ bytes: [UInt8]?) { self = bytes.map(SQLiteValue.blob) ?? .null }

    /// The integer; `nil` for a value of another type.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The text; `nil` for a value of another type.
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The bytes; `nil` for a value of another type.
    package var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}
