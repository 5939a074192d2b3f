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
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
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
