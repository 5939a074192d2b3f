internal import CTerminal
internal import TerminalUI

extension CursesTerminal {
    /// The maximum length of a title in glyphs.
    private static let titleLimit = 80

    /// Sets the title of the terminal's window (OSC 2). Restoring the terminal restores the former title. Does nothing on a terminal that
    /// would show the sequence as text.
    public func show(title: String) {
        Array(SafeText.line(title, limit: Self.titleLimit).utf8).withUnsafeBytes { ct_title(handle, $0.baseAddress, $0.count) }
    }

    /// Returns whether a terminal understands titles, and saves and restores them (XTWINOPS 22 and 23), or ignores what it does not
    /// understand. The consoles of Linux and BSD, and most old terminals, would show the title on the screen.
    static func hasTitle(term: String) -> Bool {
        let families = [
            "xterm", "tmux", "screen", "rxvt", "foot", "alacritty", "kitty", "wezterm", "ghostty", "st", "konsole", "vte", "gnome",
            "contour", "mlterm", "iterm", "iTerm2.app",
        ]
        // screen names the terminal around it behind a dot: screen.xterm-256color.
        return families.contains { term == $0 || term.hasPrefix($0 + "-") } || term.hasPrefix("screen.")
    }
}
