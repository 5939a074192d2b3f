/// The content of a masked field: a passphrase, a client secret.
///
/// The bytes leave only through ``withBytes(_:)``. They are zeroed when the field is cleared, edited or released. A description or a dump
/// shows no content, and two fields are equal if they have the same number of edits, so a state that holds a field can be compared and
/// printed. The cursor stays at the end, because the content is invisible.
public struct SecretField: Sendable {
    /// The maximum number of bytes.
    public static let limit = 4096

    private var bytes = SecretBytes(copying: [])
    /// The length in bytes of each character, so that Backspace removes a whole character.
    private var lengths: [UInt8] = []
    /// The number of edits.
    public private(set) var revision = 0

    /// Creates an empty field.
    public init() {}

    /// Whether the field contains no characters.
    public var isEmpty: Bool { lengths.isEmpty }

    /// The number of characters.
    public var count: Int { lengths.count }

    /// Calls `body` with the UTF-8 bytes, without copying them.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withBytes(body)
    }

    /// Handles a key: characters, Backspace, Ctrl-U and Ctrl-W (both clear the field).
    ///
    /// - Returns: whether the field uses the key.
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

    /// Inserts pasted text up to its first line end, unchanged.
    public mutating func paste(_ pasted: PastedText) {
        append(pasted.text.prefix { !$0.isNewline })
    }

    /// Clears the field; the bytes are zeroed as soon as no copy of the field is left.
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
    /// Compares the revisions, never the content.
    public static func == (left: SecretField, right: SecretField) -> Bool { left.revision == right.revision }
}

extension SecretField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text, never the content.
    public var description: String { "[secret field]" }
    /// A fixed text, never the content.
    public var debugDescription: String { "[secret field]" }
    /// A mirror without children: a dump shows no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Bytes that are zeroed when the last copy is released. The storage of ``SecretField``.
final class SecretBytes: Sendable {
    // Written by its single owner before it is shared; only `deinit` zeroes it.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    var count: Int { storage.count }

    init(copying parts: [UnsafeRawBufferPointer]) {
        storage = .allocate(byteCount: parts.reduce(0) { $0 + $1.count }, alignment: 1)
        var offset = 0
        for part in parts {
            UnsafeMutableRawBufferPointer(rebasing: storage[offset..<(offset + part.count)]).copyMemory(from: part)
            offset += part.count
        }
    }

    deinit {
        SecretBytes.erase(storage)
        storage.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// Overwrites memory with zeros. The optimiser cannot remove it, because it does not see into this function.
    @inline(never)
    @_optimize(none)
    static func erase(_ bytes: UnsafeMutableRawBufferPointer) {
        for index in bytes.indices { bytes[index] = 0 }
    }
}

/// Draws a ``SecretField`` as one mask glyph per character.
public struct MaskedField: Component {
    /// The content.
    public var content: SecretField
    /// Whether the field has the keyboard focus.
    public var isFocused: Bool
    /// The style of the empty cells.
    package var ground = Style(.text, on: .field)

    /// Creates a masked field.
    public init(_ content: SecretField, isFocused: Bool = true) {
        self.content = content
        self.isFocused = isFocused
    }

    /// Draws the field in the first row of `rect`, and sets the cursor if it has the focus.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        let line = rect.row(0).intersection(buffer.bounds)
        guard !line.isEmpty else { return }
        buffer.fill(line, style: ground)
        let shown = min(content.count, line.columns - 1)
        let dots = Rect(column: line.left, row: line.top, columns: shown, rows: 1)
        buffer.fill(dots, with: buffer.glyphs.mask, style: ground.with(.text))
        if isFocused { buffer.cursor = Point(column: line.left + shown, row: line.top) }
    }
}
