/// The glyphs for lines, bars and markers.
public enum GlyphSet: Hashable, Sendable {
    /// Box drawing and block characters.
    case unicode
    /// ASCII only, for terminals and fonts without other glyphs.
    case ascii

    public var horizontal: String { self == .unicode ? "─" : "-" }
    public var vertical: String { self == .unicode ? "│" : "|" }
    public var topLeft: String { self == .unicode ? "╭" : "+" }
    public var topRight: String { self == .unicode ? "╮" : "+" }
    public var bottomLeft: String { self == .unicode ? "╰" : "+" }
    public var bottomRight: String { self == .unicode ? "╯" : "+" }
    /// The end of a shortened text.
    public var ellipsis: String { self == .unicode ? "…" : "~" }
    public var barFilled: String { self == .unicode ? "█" : "#" }
    public var barEmpty: String { self == .unicode ? "░" : "." }
    /// The glyph for each character of a masked field.
    public var mask: String { self == .unicode ? "•" : "*" }
    /// The marker of the selected row.
    public var pointer: String { self == .unicode ? "▸" : ">" }
    public var check: String { self == .unicode ? "✓" : "+" }
    public var cross: String { self == .unicode ? "✗" : "x" }
    public var bullet: String { self == .unicode ? "•" : "*" }
    public var circle: String { self == .unicode ? "○" : "o" }
    public var disc: String { self == .unicode ? "●" : "@" }
    public var arrowRight: String { self == .unicode ? "→" : ">" }
    /// The separator between breadcrumbs.
    public var crumb: String { self == .unicode ? "›" : ">" }
    public var more: (up: String, down: String) { self == .unicode ? ("▴", "▾") : ("^", "v") }
    public var scrollTrack: String { self == .unicode ? "│" : "|" }
    public var scrollThumb: String { self == .unicode ? "┃" : "#" }
    /// The frames of the spinner, in order.
    public var spinner: [String] {
        self == .unicode ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
    }
    /// Eighths of a filled cell from thin to thick, for the end of a bar; empty in ASCII.
    public var eighths: [String] { self == .unicode ? ["▏", "▎", "▍", "▌", "▋", "▊", "▉"] : [] }
}
