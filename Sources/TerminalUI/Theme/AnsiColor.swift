/// One of the sixteen colours of every colour terminal; the raw value is the ANSI number.
public enum AnsiColor: UInt8, CaseIterable, Hashable, Sendable {
    /// The dark colours, 0 to 7.
    case black, red, green, yellow, blue, magenta, cyan, white
    /// The bright colours, 8 to 15.
    case brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite

    /// The colour's name in a theme file: `bright_red`.
    public var name: String {
        let base = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"][Int(rawValue % 8)]
        return rawValue < 8 ? base : "bright_" + base
    }

    /// Creates a colour from its name in a theme file; nil for an unknown name.
    public init?(name: String) {
        guard let match = AnsiColor.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}
