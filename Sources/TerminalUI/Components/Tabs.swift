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
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
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
