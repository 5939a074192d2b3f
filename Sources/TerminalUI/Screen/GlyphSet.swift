/// The signs that lines, bars and markers are drawn with.
public enum GlyphSet: Hashable, Sendable {
    /// Box drawing and block characters.
    case unicode
    /// For terminals and fonts that have nothing else.
    case ascii

    public var horizontal: String { self == .unicode ? "─" : "-" }
    public var vertical: String { self == .unicode ? "│" : "|" }
    public var topLeft: String { self == .unicode ? "╭" : "+" }
    public var topRight: String { self == .unicode ? "╮" : "+" }
    public var bottomLeft: String { self == .unicode ? "╰" : "+" }
    public var bottomRight: String { self == .unicode ? "╯" : "+" }
    /// What ends a text that was cut.
    public var ellipsis: String { self == .unicode ? "…" : "~" }
    public var barFilled: String { self == .unicode ? "█" : "#" }
    public var barEmpty: String { self == .unicode ? "░" : "." }
    /// What stands for each byte of a masked field.
    public var mask: String { self == .unicode ? "•" : "*" }
    /// The row that the keys act on.
    public var pointer: String { self == .unicode ? "▸" : ">" }
    public var check: String { self == .unicode ? "✓" : "+" }
    public var cross: String { self == .unicode ? "✗" : "x" }
    public var bullet: String { self == .unicode ? "•" : "*" }
    public var circle: String { self == .unicode ? "○" : "o" }
    public var disc: String { self == .unicode ? "●" : "@" }
    public var arrowRight: String { self == .unicode ? "→" : ">" }
    /// Between the steps of a path of screens.
    public var crumb: String { self == .unicode ? "›" : ">" }
    public var more: (up: String, down: String) { self == .unicode ? ("▴", "▾") : ("^", "v") }
    public var scrollTrack: String { self == .unicode ? "│" : "|" }
    public var scrollThumb: String { self == .unicode ? "┃" : "#" }
    /// The pictures of something that goes on, in order.
    public var spinner: [String] {
        self == .unicode ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
    }
    /// Eighths of a filled cell from thin to thick, for the end of a bar; none in ASCII.
    public var eighths: [String] { self == .unicode ? ["▏", "▎", "▍", "▌", "▋", "▊", "▉"] : [] }
}
