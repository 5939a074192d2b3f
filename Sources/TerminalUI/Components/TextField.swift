/// A one-line input field. It shows the part around the cursor, and sets the terminal's cursor when it has the focus.
public struct TextField: Component {
    /// The content and its cursor.
    public var content: TextFieldContent
    /// The text shown in an empty field.
    public var placeholder: String
    /// Whether the field has the keyboard focus.
    public var isFocused: Bool
    /// The style of the empty cells.
    package var ground = Style(.text, on: .field)

    /// Returns the style of the empty cells of a field in a form: the field with the focus has a ground of its own, the others only a line,
    /// so that a form is calm and one field stands out.
    package static func ground(isFocused: Bool, on surface: Surface) -> Style {
        isFocused ? Style(.text, on: .field) : Style(.border, on: surface, attributes: .underline)
    }

    /// Creates an input field.
    public init(_ content: TextFieldContent, placeholder: String = "", isFocused: Bool = true) {
        self.content = content
        self.placeholder = placeholder
        self.isFocused = isFocused
    }

    /// Draws the field in the first row of `rect`, and sets the cursor if it has the focus.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        let line = rect.row(0).intersection(buffer.bounds)
        guard !line.isEmpty else { return }
        buffer.fill(line, style: ground)
        if content.isEmpty {
            buffer.write(placeholder, in: line, style: ground.with(.muted))
        }
        let first = firstVisible(columns: line.columns)
        buffer.write(content.glyphs[first...], at: line.origin, style: ground.with(.text), clip: line)
        if isFocused {
            let column = line.left + content.glyphs[first..<content.cursor].width
            buffer.cursor = Point(column: min(column, line.right - 1), row: line.top)
        }
    }

    /// Returns the first visible glyph, chosen so that the cursor is inside the field.
    private func firstVisible(columns: Int) -> Int {
        var width = 1
        var first = content.cursor
        while first > 0, width + content.glyphs[first - 1].width <= columns {
            first -= 1
            width += content.glyphs[first].width
        }
        return first
    }
}

/// The content and cursor position of a one-line input field.
///
/// It holds glyphs made by ``SafeText``, so typed or pasted text cannot harm a terminal.
public struct TextFieldContent: Hashable, Sendable {
    /// The sanitised content.
    public private(set) var glyphs: [Glyph]
    /// The index of the glyph after the cursor; `glyphs.count` at the end.
    public private(set) var cursor: Int
    /// The text that was cut last, for Ctrl-Y.
    private var cut: [Glyph] = []
    /// The maximum number of glyphs.
    public let limit: Int

    /// Creates a content with the cursor at its end; text beyond `limit` is dropped.
    public init(_ text: String = "", limit: Int = 1024) {
        self.limit = max(0, limit)
        glyphs = Array(SafeText.glyphs(text, limit: .max).prefix(self.limit))
        cursor = glyphs.count
    }

    /// The content as text.
    public var text: String { glyphs.text }
    /// Whether the field contains no glyphs.
    public var isEmpty: Bool { glyphs.isEmpty }

    /// Handles a key with readline's bindings.
    ///
    /// - Returns: whether the field uses the key.
    public mutating func handle(_ key: Key) -> Bool {
        if let character = key.typed {
            insert(String(character))
            return true
        }
        switch key {
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(glyphs.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = glyphs.count
        case Key(.left, .control), .alt("b"): cursor = wordStart
        case Key(.right, .control), .alt("f"): cursor = wordEnd
        case .backspace, .control("h"): remove(max(0, cursor - 1)..<cursor)
        case .delete, .control("d"): remove(cursor..<min(glyphs.count, cursor + 1))
        case .control("u"): kill(0..<cursor)
        case .control("k"): kill(cursor..<glyphs.count)
        case .control("w"), Key(.backspace, .alt): kill(spaceStart..<cursor)
        case .alt("d"): kill(cursor..<wordEnd)
        case .control("y"): insert(cut)
        default: return false
        }
        return true
    }

    /// Inserts pasted text. Line ends become spaces and are removed at both ends, so a paste never submits.
    public mutating func paste(_ pasted: PastedText) {
        var added = SafeText.glyphs(pasted.text, limit: .max)
        while added.first == .space { added.removeFirst() }
        while added.last == .space { added.removeLast() }
        insert(added)
    }

    /// Clears the field.
    public mutating func clear() { self = TextFieldContent(limit: limit) }

    private mutating func insert(_ text: String) {
        // A combining mark typed on its own joins the glyph before the cursor.
        if cursor > 0, let scalar = text.unicodeScalars.first, GlyphWidth.of(scalar) == 0 {
            let joined = SafeText.glyphs(glyphs[cursor - 1].text + text, limit: .max)
            glyphs.replaceSubrange(cursor - 1..<cursor, with: joined)
            cursor += joined.count - 1
            return
        }
        insert(SafeText.glyphs(text, limit: .max))
    }

    private mutating func insert(_ added: [Glyph]) {
        let fitting = added.prefix(max(0, limit - glyphs.count))
        glyphs.insert(contentsOf: fitting, at: cursor)
        cursor += fitting.count
    }

    private mutating func remove(_ range: Range<Int>) {
        glyphs.removeSubrange(range)
        cursor = range.lowerBound
    }

    private mutating func kill(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        cut = Array(glyphs[range])
        remove(range)
    }

    /// The start of the run of non-spaces before the cursor: what Ctrl-W removes.
    private var spaceStart: Int {
        var index = cursor
        while index > 0, glyphs[index - 1] == .space { index -= 1 }
        while index > 0, glyphs[index - 1] != .space { index -= 1 }
        return index
    }

    private var wordStart: Int {
        var index = cursor
        while index > 0, !isWord(index - 1) { index -= 1 }
        while index > 0, isWord(index - 1) { index -= 1 }
        return index
    }

    private var wordEnd: Int {
        var index = cursor
        while index < glyphs.count, !isWord(index) { index += 1 }
        while index < glyphs.count, isWord(index) { index += 1 }
        return index
    }

    private func isWord(_ index: Int) -> Bool {
        glyphs[index].text.first.map { $0.isLetter || $0.isNumber } ?? false
    }

    /// Handles typed or pasted text.
    package mutating func type(_ input: TextInput) {
        switch input {
        case .key(let key): _ = handle(key)
        case .paste(let text): paste(text)
        }
    }
}

/// Text from the user.
package enum TextInput: Equatable, Sendable {
    /// A pressed key.
    case key(Key)
    /// A paste.
    case paste(PastedText)
}

extension SecretField {
    /// Handles typed or pasted text; a paste never submits.
    package mutating func type(_ input: TextInput) {
        switch input {
        case .key(let key): _ = handle(key)
        case .paste(let text): paste(text)
        }
    }
}
