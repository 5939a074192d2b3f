internal import CTerminal

/// The name under which curses finds the description of a terminal.
public struct TerminalType: Equatable, Sendable {
    /// The name: that of the terminal, or of the one that it resembles.
    public let name: String
    /// Whether this machine has no description of the terminal itself.
    public let isFallback: Bool

    /// The description that terminals of the known families share, and that ncurses always installs.
    private static let common = "xterm-256color"
    /// Terminals that understand everything that xterm does and curses uses.
    private static let families = [
        "xterm", "alacritty", "kitty", "foot", "ghostty", "wezterm", "tmux", "screen", "rio", "contour", "konsole", "vte", "gnome", "st",
    ]

    /// Finds the description of the terminal `term`; `nil` if curses cannot use it, and it belongs to no known family.
    public init?(_ term: String) {
        self.init(term) { ct_describe($0) == CT_OK }
    }

    init?(_ term: String, isUsable: (String) -> Bool) {
        if isUsable(term) {
            (name, isFallback) = (term, false)
        } else if Self.families.contains(where: { term == $0 || term.hasPrefix($0 + "-") || term.hasPrefix($0 + ".") }),
            isUsable(Self.common)
        {
            (name, isFallback) = (Self.common, true)
        } else {
            return nil
        }
    }
}
