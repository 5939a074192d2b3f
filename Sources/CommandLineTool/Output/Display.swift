internal import AuthModel
internal import TerminalApp
internal import TerminalUI
internal import UserConfiguration

/// A terminal that a command writes to: its size, colours and glyphs.
///
/// Without one, output is plain lines of any length: in a pipe, in a file, with `--plain`, and on a terminal that has no cursor movement or
/// does not know its size.
struct Display {
    let columns: Int
    let rows: Int
    let paint: Paint
    let glyphs: GlyphSet
    let showsLinks: Bool

    /// The mark of what is in order.
    var good: StyledText { StyledText(glyphs.check, .success) }
    /// The mark of what needs attention soon.
    var warning: StyledText { StyledText("!", .warning) }
    /// The mark of what is broken.
    var bad: StyledText { StyledText(glyphs.cross, .danger) }
    /// The mark of everything else.
    var neutral: StyledText { StyledText(glyphs == .unicode ? "·" : "-", .muted) }

    /// Returns the mark of a session's state: the app's.
    func mark(of state: SessionState) -> StyledText { StyledText(Words.glyph(state, glyphs), Words.role(state)) }

    /// Returns a text after a mark, in as many lines as it needs, and a hint below it.
    ///
    /// - Parameter label: the words between the mark and the text; the lines after the first begin below the text.
    func marked(_ mark: StyledText, label: StyledText = "", _ text: String, _ role: Role = .text, hint: String? = nil) -> [StyledText] {
        let head = mark + StyledText(" ") + label
        let lines = (head + StyledText(text, role)).folded(to: columns, indent: head.width)
        guard let hint else { return lines }
        let indent = StyledText(String(repeating: " ", count: head.width))
        return lines + (indent + .hint(hint, .muted, columns: columns - head.width)).folded(to: columns, indent: head.width)
    }
}

extension Display {
    /// Returns a line of the program's own, or of the configuration, in as many rows as it needs; its URLs are links.
    ///
    /// - Parameter indent: where the text begins, after a name or a number; the rows after the first begin there too.
    func folded(_ line: String, indent: Int, _ role: Role = .text) -> [StyledText] {
        // A name that is longer than its column is part of the text.
        let head = line.prefix(indent).last == " " ? indent : 0
        let text = StyledText.linked(String(line.dropFirst(head)), role)
        return (StyledText(String(line.prefix(head)), .muted) + text).folded(to: columns, indent: head)
    }

    /// Returns where the text of an indented line begins: after its spaces, and after the number of a step.
    static func indent(of line: String) -> Int {
        let lead = line.prefix { $0 == " " }
        let number = line.dropFirst(lead.count).prefix { $0.isNumber || $0 == "." }
        guard !lead.isEmpty, !number.isEmpty, number.count <= 3 else { return lead.count }
        return lead.count + number.count + 1
    }

    /// The fewest columns in which values stand beside their names.
    private static let narrowestValues = 30

    /// Returns names with their values, one below the other. A long value continues below its beginning; on a narrow terminal, values are
    /// below their names.
    ///
    /// - Parameter isTrusted: whether a value that is a URL becomes a link: if it is from the configuration, not from a server.
    func terms(_ pairs: [(String, String)], isTrusted: Bool) -> [StyledText] {
        let width = (pairs.map(\.0.count).max() ?? 0) + 2
        return pairs.flatMap { name, value in
            let text = isTrusted ? StyledText.address(value) : StyledText(value)
            guard columns - width >= Self.narrowestValues else {
                return [StyledText(name, .muted)] + (StyledText("  ") + text).folded(to: columns, indent: 2)
            }
            return (StyledText(name.padded(to: width), .muted) + text).folded(to: columns, indent: width)
        }
    }
}

extension CommandContext {
    /// The terminal that results go to; `nil` if they are printed as plain lines.
    var display: Display? {
        guard edges.streams.isAnswerTerminal, let size = edges.streams.size() else { return nil }
        return display(columns: size.columns, rows: size.rows)
    }

    /// The terminal that diagnostics go to; `nil` if they are printed as plain lines.
    var diagnosticsDisplay: Display? {
        guard edges.streams.isDiagnosticsTerminal, let columns = edges.streams.columns() else { return nil }
        return display(columns: columns, rows: edges.streams.size()?.rows ?? 24)
    }

    private func display(columns: Int, rows: Int) -> Display? {
        guard !supportsLinesOnly, !options.isPlain else { return nil }
        return Display(
            columns: columns, rows: rows, paint: paint, glyphs: console.showsUnicode ? .unicode : .ascii,
            showsLinks: LinkSupport.isKnown(in: edges.environment))
    }

    /// The colours: those of the theme that the user chose, else neutral ones.
    var paint: Paint {
        guard terminalColorDepth > .mono else { return .none }
        guard let interface = try? configurationFile().read().interface, interface.isThemeSet,
            let theme = themeLibrary(only: interface.theme).theme(interface.theme)
        else { return .neutral }
        // The theme was chosen in the app, which paints its background too; here the terminal's own background shows.
        if let isLight = Self.hasLightGround(edges.environment), isLight != theme.hasLightGround { return .neutral }
        return Paint(theme, depth: terminalColorDepth)
    }

    /// Returns whether the terminal says in `COLORFGBG` that its background is light; `nil` if it says nothing.
    private static func hasLightGround(_ environment: [String: String]) -> Bool? {
        guard let number = environment["COLORFGBG"]?.split(separator: ";").last.flatMap({ UInt8($0) }), number < 16 else { return nil }
        return number == 7 || number >= 9
    }

    /// Prints a command's result, on a terminal with its colours and in its width.
    func answer(_ answer: some Answer, asJSON: Bool) throws(OutputError) {
        guard !asJSON, let display else { return try console.answer(answer, asJSON: asJSON) }
        try console.show(answer.rows(on: display), on: display)
    }
}

/// The escape sequences of roles in a command's output.
///
/// A command writes among other output, so the terminal's own background and text colour stay.
struct Paint: Equatable {
    private let sequences: [Role: String]
    /// Begins the selected row of a list. Default: reversed.
    private(set) var selection = "\u{1B}[7m"
    /// Begins a letter that matches the typed pattern. Default: bold and underlined, because some terminals draw bold like normal.
    private(set) var match = "\u{1B}[1;4m"

    /// Without colours; text has no attributes.
    static let none = Paint(sequences: [:])

    /// The colours if the user chose no theme: each is legible on black and on white.
    static let neutral = Paint(
        sequences: neutralColors.mapValues { "\u{1B}[38;5;\($0)m" }.merging([.title: "\u{1B}[1m"]) { $1 })

    /// Numbers in xterm's palette, whose contrast with black and with white is at least 3.8.
    static let neutralColors: [Role: UInt8] = [
        .success: 28, .warning: 130, .danger: 160, .accent: 32, .link: 32, .key: 32, .info: 32, .focus: 32, .muted: 243, .border: 243,
        .barFilled: 28, .barEmpty: 243,
    ]

    private init(sequences: [Role: String]) { self.sequences = sequences }

    /// Creates the sequences of a theme.
    init(_ theme: Theme, depth: ColorDepth) {
        func foreground(_ style: Style) -> String {
            var face = theme.face(for: style, depth: depth)
            face.background = nil
            return face.sequence
        }
        sequences = Dictionary(uniqueKeysWithValues: Role.allCases.filter { $0 != .text }.map { ($0, foreground(Style($0))) })
        selection = theme.face(for: Style(.text, on: .selection, attributes: .bold), depth: depth).sequence
        match = "\u{1B}[4m" + foreground(Style(.accent, attributes: .bold))
    }

    /// White on black, also without colours of text: a picture consists of its colours.
    static let picture = "\u{1B}[38;5;231;48;5;16m"

    /// Returns the sequence that begins a role; empty for the terminal's own style.
    subscript(role: Role) -> String { sequences[role] ?? "" }
}

/// The terminals that show links (OSC 8). An unknown terminal might print the address instead.
enum LinkSupport {
    static func isKnown(in environment: [String: String]) -> Bool {
        func version(_ name: String) -> [Int] {
            (environment[name] ?? "").split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
        }
        let term = environment["TERM"] ?? ""
        let program = environment["TERM_PROGRAM"] ?? ""
        // What runs inside a multiplexer inherits the variables of the terminal outside.
        if program == "tmux" { return !version("TERM_PROGRAM_VERSION").lexicographicallyPrecedes([3, 4]) }
        if ["screen", "tmux", "linux", "dumb"].contains(where: term.hasPrefix) || environment["TMUX"] != nil || environment["STY"] != nil {
            return false
        }
        if ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour", "mintty"].contains(where: term.hasPrefix) {
            return true
        }
        if ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "mintty", "rio", "Tabby"].contains(program) { return true }
        return (version("VTE_VERSION").first ?? 0) >= 5000 || (version("KONSOLE_VERSION").first ?? 0) >= 201_200
            || ["KITTY_WINDOW_ID", "WT_SESSION", "DOMTERM"].contains { environment[$0] != nil }
    }
}
