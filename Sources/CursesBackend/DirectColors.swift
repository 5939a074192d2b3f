/// Decides whether a terminal gets 24-bit colours although its description has only 256.
public enum DirectColors {
    /// Returns the terminal's description with 24-bit colours, for ``CursesOptions/description``; `nil` if the terminal does not take such
    /// colours, or its description already has them.
    ///
    /// - Parameter read: returns the content of a file; `nil` if it cannot be read.
    public static func description(term: String, environment: [String: String], read: (String) -> [UInt8]?) -> String? {
        guard var description = file(term: term, environment: environment, read: read).flatMap(TerminalDescription.init),
            (256..<(1 << 24)).contains(description.colors), description.namesDirectColors || areTaken(by: term, environment)
        else { return nil }
        description.useDirectColors()
        return description.encoded.map { "hex:" + hexadecimal($0) }
    }

    /// Returns whether the terminal says by its name, or by the variables that it sets, that it takes 24-bit colours.
    static func areTaken(by term: String, _ environment: [String: String]) -> Bool {
        func value(_ name: String) -> String { environment[name] ?? "" }
        let isInTmux = !value("TMUX").isEmpty
        // screen ignores these colours, and passes on the variables of the terminal around it.
        if term.hasPrefix("screen"), !isInTmux { return false }
        if ["truecolor", "24bit"].contains(value("COLORTERM").lowercased()) { return true }
        // These variables are those of the terminal around tmux. tmux replaces a colour that it cannot pass on by the nearest of 256, which
        // is worse than the theme's own choice.
        if isInTmux { return false }
        let terms = ["xterm-kitty", "foot", "alacritty", "wezterm", "xterm-ghostty", "contour"]
        return terms.contains { term == $0 || term.hasPrefix($0 + "-") }
            || ["iTerm.app", "WezTerm", "ghostty", "vscode"].contains(value("TERM_PROGRAM"))
            // VTE 0.36, of GNOME Terminal and others.
            || (Int(value("VTE_VERSION")) ?? 0) >= 3600 || !value("KITTY_WINDOW_ID").isEmpty
    }

    /// Returns the description's file from the first of the folders in which curses looks for it (terminfo(5)).
    private static func file(term: String, environment: [String: String], read: (String) -> [UInt8]?) -> [UInt8]? {
        guard let first = term.utf8.first, !term.contains("/") else { return nil }
        // A whole description in the variable.
        if let own = environment["TERMINFO"], own.hasPrefix("hex:") || own.hasPrefix("b64:") { return nil }
        let standard = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"]
        let listed = environment["TERMINFO_DIRS"]?.split(separator: ":", omittingEmptySubsequences: false).flatMap {
            $0.isEmpty ? standard : [String($0)]
        }
        let folders = [environment["TERMINFO"], environment["HOME"].map { $0 + "/.terminfo" }].compactMap(\.self) + (listed ?? standard)
        for folder in folders {
            // By the first character, or by its code on file systems that do not distinguish case.
            for place in ["\(folder)/\(term.prefix(1))/\(term)", "\(folder)/\(hexadecimal([first]))/\(term)"] {
                if let file = read(place) { return file }
            }
        }
        return nil
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
