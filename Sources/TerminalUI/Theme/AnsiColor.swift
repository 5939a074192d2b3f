/// One of the sixteen colours that every colour terminal has; the number is ANSI's.
public enum AnsiColor: UInt8, CaseIterable, Hashable, Sendable {
    case black, red, green, yellow, blue, magenta, cyan, white
    case brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite

    /// The word for it in a theme file: `bright_red`.
    public var name: String {
        let base = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"][Int(rawValue % 8)]
        return rawValue < 8 ? base : "bright_" + base
    }

    /// From the word of a theme file.
    public init?(name: String) {
        guard let match = AnsiColor.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// The shade xterm gives it, for finding the nearest one.
    var shade: Color { IndexedPalette.color(rawValue) }
}
