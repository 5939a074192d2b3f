internal import AuthModel
internal import TerminalUI
internal import TerminalAppModel

extension SessionPicker {
    /// The maximum number of rows on the screen, with the row of the pattern.
    static let height = 10
    private static let prompt = "Session: "
    private static let reset = "\u{1B}[0m"

    /// A drawn picker.
    struct Drawing: Equatable, Sendable {
        /// The rows, with their escape sequences. The first one is the pattern's.
        let lines: [String]
        /// The column of the cursor in the first row.
        let cursor: Int

        /// The bytes that replace the former drawing. The cursor stays in the first row, so that ``SessionPicker/erasure`` erases all.
        var bytes: [UInt8] {
            let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
            let right = cursor > 0 ? "\u{1B}[\(cursor)C" : ""
            return Array(
                (String(decoding: SessionPicker.erasure, as: UTF8.self) + lines.joined(separator: "\r\n") + up + "\r" + right).utf8)
        }
    }

    /// Erases a drawing.
    static let erasure = Array("\r\u{1B}[J".utf8)

    /// Draws the picker. No row is wider than `columns`, and there are never more rows than the terminal has.
    func drawing(columns: Int, rows: Int, at now: Timestamp, showsUnicode: Bool) -> Drawing {
        // The last column stays free, because terminals differ in when they wrap.
        let width = max(columns - 1, 1)
        let count = "\(matches.count)/\(self.rows.count)"
        let label = width >= Self.prompt.count + 12 ? Self.prompt : "> "
        var typed = Self.glyphs(pattern, showsUnicode)
        let room = max(width - label.count - count.count - 2, 0)
        while typed.width > room { typed.removeFirst() }
        let gap = width - label.count - typed.width - count.count
        let first = label + typed.text + (gap > 0 ? String(repeating: " ", count: gap) + "\u{1B}[2m" + count + Self.reset : "")
        let height = max(min(Self.height, rows) - 1, 0)
        let top = max(selected - height + 1, 0)
        let shown = matches.indices.dropFirst(top).prefix(height)
        let names = shown.map { Self.glyphs(matches[$0].row.name, showsUnicode).width }.max() ?? 0
        let lines = shown.map { line($0, width: width, names: names, at: now, showsUnicode) }
        return Drawing(lines: [first] + lines, cursor: min(label.count + typed.width, width - 1))
    }

    /// Returns one session's row: marker, state, name, star, time left.
    private func line(_ index: Int, width: Int, names: Int, at now: Timestamp, _ showsUnicode: Bool) -> String {
        let match = matches[index]
        let isSelected = index == selected
        let glyphs: GlyphSet = showsUnicode ? .unicode : .ascii
        let state = Words.glyph(match.row.session.state(at: now), glyphs)
        let star = match.row.isDefault ? glyphs.star : " "
        let left = match.row.session.accessExpiresAt.map { $0 <= now ? "ended" : ($0 - now).formatted } ?? "-"
        let fixed = 4 + 2
        let showsTime = width >= fixed + 8 + 2 + left.count
        let room = max(min(names, width - fixed - (showsTime ? left.count + 2 : 0)), 1)
        let name = Self.glyphs(match.row.name, showsUnicode)
        var text = ""
        var used = 0
        let base = Self.reset + (isSelected ? "\u{1B}[7m" : "")
        for (position, glyph) in name.enumerated() {
            let isLast = position == name.count - 1
            if used + glyph.width > room || (!isLast && used + glyph.width == room) {
                text += glyphs.ellipsis
                used += 1
                break
            }
            // Bold and underlined, because the selected row is reversed, and some terminals draw bold like normal.
            text += match.positions.contains(position) ? "\u{1B}[1;4m" + glyph.text + base : glyph.text
            used += glyph.width
        }
        let head = base + (isSelected ? "> " : "  ") + state + " " + text + String(repeating: " ", count: max(room - used, 0)) + " " + star
        return head + (showsTime ? "  " + left : "") + Self.reset
    }

    private static func glyphs(_ text: String, _ showsUnicode: Bool) -> [Glyph] {
        let glyphs = SafeText.glyphs(text)
        guard !showsUnicode else { return glyphs }
        return glyphs.flatMap { $0.text.utf8.allSatisfy { $0 < 0x80 } ? [$0] : SafeText.glyphs("?") }
    }
}
