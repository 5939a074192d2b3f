/// What is typed into a masked field: a passphrase, a client secret.
///
/// The bytes leave through ``withBytes(_:)`` only. They are zeroed when the field is cleared, edited or dropped; a description or a dump
/// shows nothing, and two fields are equal when they have the same number of edits behind them: a state that holds one can be compared
/// and printed. The cursor stays at the end, as nobody sees what is left of it.
public struct SecretField: Sendable {
    /// How many bytes it takes.
    public static let limit = 4096

    private var bytes = SecretBytes(copying: [])
    /// The length in bytes of each character typed, so that Backspace takes a whole one.
    private var lengths: [UInt8] = []
    /// The number of edits.
    public private(set) var revision = 0

    public init() {}

    public var isEmpty: Bool { lengths.isEmpty }

    /// The number of characters; shown only where the person asked to see it.
    public var count: Int { lengths.count }

    /// Lends the bytes, UTF-8, without copying them.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withBytes(body)
    }

    /// Takes a key: characters, Backspace, Ctrl-U and Ctrl-W (both empty it).
    ///
    /// - Returns: whether the key was one of a masked field's.
    public mutating func handle(_ key: Key) -> Bool {
        if let character = key.typed {
            append(CollectionOfOne(character))
            return true
        }
        switch key {
        case .backspace, .control("h"): removeLast()
        case .control("u"), .control("w"): clear()
        default: return false
        }
        return true
    }

    /// Takes pasted text up to its first line end; whatever else it holds belongs to the secret.
    public mutating func paste(_ pasted: PastedText) {
        append(pasted.text.prefix { !$0.isNewline })
    }

    /// Empties the field; the bytes are zeroed as soon as no copy of the field is left.
    public mutating func clear() {
        bytes = SecretBytes(copying: [])
        lengths = []
        revision += 1
    }

    private mutating func append(_ characters: some Sequence<Character>) {
        var added: [UInt8] = []
        defer { added.withUnsafeMutableBytes { SecretBytes.erase($0) } }
        added.reserveCapacity(SecretField.limit)
        for character in characters {
            let length = character.utf8.count
            guard length <= UInt8.max, bytes.count + added.count + length <= SecretField.limit else { break }
            added.append(contentsOf: character.utf8)
            lengths.append(UInt8(length))
        }
        let joined = added.withUnsafeBytes { new in bytes.withBytes { SecretBytes(copying: [$0, new]) } }
        bytes = joined
        revision += 1
    }

    private mutating func removeLast() {
        guard let length = lengths.popLast() else { return }
        bytes = bytes.withBytes { SecretBytes(copying: [UnsafeRawBufferPointer(rebasing: $0.dropLast(Int(length)))]) }
        revision += 1
    }
}

extension SecretField: Equatable {
    /// By revision: the content takes no part.
    public static func == (left: SecretField, right: SecretField) -> Bool { left.revision == right.revision }
}

extension SecretField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the content.
    public var description: String { "[secret field]" }
    /// Never the content.
    public var debugDescription: String { "[secret field]" }
    /// No children: a dump shows no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
