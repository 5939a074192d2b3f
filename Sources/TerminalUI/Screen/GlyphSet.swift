/// The glyphs for lines, bars and markers.
public enum GlyphSet: Hashable, Sendable {
    /// Box drawing and block characters.
    case unicode
    /// ASCII only, for terminals and fonts without other glyphs.
    case ascii

    /// A horizontal line.
    public var horizontal: String { self == .unicode ? "─" : "-" }
    /// A vertical line.
    public var vertical: String { self == .unicode ? "│" : "|" }
    /// Returns a vertical line with a tick to a number of a scale, at the left or at the right of it.
    public func tick(isLeft: Bool) -> String { self == .unicode ? (isLeft ? "┤" : "├") : "+" }
    /// The top left corner of a box.
    public var topLeft: String { self == .unicode ? "╭" : "+" }
    /// The top right corner of a box.
    public var topRight: String { self == .unicode ? "╮" : "+" }
    /// The bottom left corner of a box.
    public var bottomLeft: String { self == .unicode ? "╰" : "+" }
    /// The bottom right corner of a box.
    public var bottomRight: String { self == .unicode ? "╯" : "+" }
    /// The end of a shortened text.
    public var ellipsis: String { self == .unicode ? "…" : "~" }
    /// A filled cell of a bar.
    public var barFilled: String { self == .unicode ? "━" : "=" }
    /// A half-filled cell at the end of a bar; nil in ASCII.
    public var barHalf: String? { self == .unicode ? "╸" : nil }
    /// A mark on a bar.
    public var barMark: String { self == .unicode ? "╋" : "+" }
    /// An empty cell of a bar.
    public var barEmpty: String { self == .unicode ? "─" : "-" }
    /// The columns of a sparkline, from the one for zero to the highest: no whole block, which would touch the row above.
    public var sparks: [String] { self == .unicode ? ["·", "▁", "▂", "▃", "▄", "▅", "▆", "▇"] : [".", ":", "-", "=", "#"] }
    /// The glyph for each character of a masked field.
    public var mask: String { self == .unicode ? "•" : "*" }
    /// The marker of the selected row.
    public var pointer: String { self == .unicode ? "▸" : ">" }
    /// A check mark.
    public var check: String { self == .unicode ? "✓" : "+" }
    /// A cross.
    public var cross: String { self == .unicode ? "✗" : "x" }
    /// An empty circle.
    public var circle: String { self == .unicode ? "○" : "o" }
    /// A filled circle.
    public var disc: String { self == .unicode ? "●" : "@" }
    /// A star, for the default of several.
    public var star: String { self == .unicode ? "★" : "*" }
    /// The separator between breadcrumbs.
    public var crumb: String { self == .unicode ? "›" : ">" }
    /// The marks for more rows above and below.
    public var more: (up: String, down: String) { self == .unicode ? ("▴", "▾") : ("^", "v") }
    /// The track of a scroll bar.
    public var scrollTrack: String { self == .unicode ? "│" : "|" }
    /// The thumb of a scroll bar.
    public var scrollThumb: String { self == .unicode ? "┃" : "#" }
    /// The frames of the spinner, in order.
    public var spinner: [String] {
        self == .unicode ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
    }
}
