/// The keys that work now, in one line. Hints that do not fit are dropped from the end; the one for Esc stays, and the last `kept` ones,
/// of which all but the last give way to the first key.
public struct Footer: Component {
    /// The key hints, the most important first; only those of keys that work.
    public var hints: [KeyHint]
    /// The number of hints at the end, such as that for help, that stay when others are dropped.
    public var kept: Int
    /// The background.
    public var surface: Surface

    /// Creates a footer.
    public init(_ hints: [KeyHint], kept: Int = 1, surface: Surface = .footer) {
        self.hints = hints.filter(\.isEnabled)
        self.kept = kept
        self.surface = surface
    }

    /// Draws the footer in the first row of `rect`, and records a click on a hint as its key.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        let line = rect.row(0)
        buffer.fill(line, style: Style(.muted, on: surface))
        let glyphs = buffer.glyphs
        var column = line.left
        for hint in fitting(line.columns, glyphs: glyphs) {
            if column > line.left { column += Footer.gap }
            let start = column
            for (index, key) in hint.keys.enumerated() {
                let text = (index > 0 ? "/" : "") + key.label(glyphs)
                let end = buffer.write(text, at: Point(column: column, row: line.top), style: Style(.key, on: surface), clip: line)
                buffer.mark(Rect(column: column, row: line.top, columns: end - column, rows: 1), as: .key(key))
                column = end
            }
            column = buffer.write(
                hint.label, at: Point(column: column + 1, row: line.top), style: Style(.muted, on: surface), clip: line)
            if hint.keys.count == 1, let key = hint.keys.first {
                buffer.mark(Rect(column: start, row: line.top, columns: column - start, rows: 1), as: .key(key))
            }
        }
    }

    private static let gap = 2

    private func fitting(_ columns: Int, glyphs: GlyphSet) -> [KeyHint] {
        func width(_ hint: KeyHint) -> Int {
            SafeText.width(of: hint.keys.map { $0.label(glyphs) }.joined(separator: "/")) + 1 + SafeText.width(of: hint.label)
        }
        func total(_ hints: [KeyHint]) -> Int { hints.reduce(0) { $0 + width($1) } + max(0, hints.count - 1) * Footer.gap }
        // The way out and the last keys stay when other keys are dropped; where not even they fit, the last one.
        func shown(_ count: Int, kept: Int) -> [KeyHint] {
            var rest = count
            return hints.indices.filter { index in
                if index >= hints.count - kept || hints[index].keys.contains(.escape) { return true }
                rest -= 1
                return rest >= 0
            }.map { hints[$0] }
        }
        // The first key is worth more than the first of the kept ones.
        let counts = (1...max(1, hints.count)).reversed()
        let choices: [[KeyHint]] =
            (0..<max(1, kept)).flatMap { fewer in counts.map { shown($0, kept: kept - fewer) } } + [shown(0, kept: kept)]
        return choices.first { total($0) <= columns } ?? shown(0, kept: min(1, kept))
    }
}

/// A row of tab names with one selected.
public struct Tabs: Component {
    /// The names of the tabs.
    public var names: [String]
    /// The index of the selected tab.
    public var selected: Int
    /// The background.
    public var surface: Surface

    /// Creates a row of tabs.
    public init(_ names: [String], selected: Int, surface: Surface = .header) {
        self.names = names
        self.selected = selected
        self.surface = surface
    }

    /// Draws the tabs in the first row of `rect`.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        // The selected tab is always visible: the tabs before it are dropped first.
        var first = 0
        while first < selected, width(from: first) > rect.columns { first += 1 }
        let spans = names.enumerated().dropFirst(first).map { index, name in
            TextLine.Span(" \(name) ", index == selected ? Style(.title, on: .selection) : Style(.muted, on: surface))
        }
        buffer.draw(TextLine(spans), in: rect)
    }

    private func width(from first: Int) -> Int {
        guard names.indices.contains(selected) else { return 0 }
        return names[first...selected].reduce(0) { $0 + SafeText.width(of: $1) + 2 }
    }
}

/// The path to the current screen: the names of the screens from the first one. A path that is too long loses its beginning.
public struct Breadcrumbs: Component {
    /// The names of the screens, the current one last.
    public var names: [String]
    /// The background.
    public var surface: Surface

    /// Creates a path of screen names.
    public init(_ names: [String], surface: Surface = .header) {
        self.names = names
        self.surface = surface
    }

    /// Draws the path in the first row of `rect`.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        guard let here = names.last else { return }
        let separator = " \(buffer.glyphs.crumb) "
        var shown = [TextLine.Span(here, Style(.title, on: surface))]
        var width = SafeText.width(of: here)
        for name in names.dropLast().reversed() {
            width += SafeText.width(of: name) + SafeText.width(of: separator)
            guard width <= rect.columns else { break }
            shown.insert(.init(separator, Style(.muted, on: surface)), at: 0)
            shown.insert(.init(name, Style(.muted, on: surface)), at: 0)
        }
        buffer.draw(TextLine(shown), in: rect)
    }
}
