import CTerminal
public import TerminalUI

/// Options for opening the terminal. This module reads `TERM` and the locale only where an option is nil.
public struct CursesOptions: Sendable {
    /// Descriptors to use instead of `/dev/tty`; the caller still owns them.
    public struct Descriptors: Sendable {
        /// The descriptor to read from.
        public let input: Int32
        /// The descriptor to write to.
        public let output: Int32

        /// Creates a pair of descriptors.
        public init(input: Int32, output: Int32) {
            self.input = input
            self.output = output
        }
    }

    /// The descriptors; nil opens `/dev/tty`, so that standard input and output stay free for pipes.
    public var descriptors: Descriptors?
    /// The terminal's name; nil uses `TERM`.
    public var term: String?
    /// The terminal's description, in the hexadecimal notation of the variable `TERMINFO`; nil uses the installed one. See
    /// ``DirectColors``.
    public var description: String?
    /// The maximum colour depth: ``ColorDepth/mono`` for `NO_COLOR`. The terminal may support less.
    public var colorLimit: ColorDepth
    /// The glyphs to draw with; nil chooses by terminal and locale.
    public var glyphs: GlyphSet?
    /// The report to write if the program crashes while the terminal is open.
    public struct CrashReport: Sendable {
        /// The path of a file that does not exist yet, in an existing folder.
        public let path: String
        /// The start of the file; the signal and the stack trace follow. It must contain no secret.
        public let text: String

        /// Creates a crash report.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The crash report; nil writes none.
    public var crashReport: CrashReport?
    /// The clipboard to write copied text from; nil disables copying.
    public var clipboard: Clipboard?
    /// The notices to show on the user's desktop; nil shows none.
    public var notices: TerminalNotices?

    /// Whether the terminal shows links (OSC 8). An unknown terminal might print the address instead.
    public var showsLinks = false

    /// The user's earlier input: ``TerminalBackground/typed``.
    public var typed: [UInt8] = []

    /// Creates options; each default lets the module choose.
    public init(
        descriptors: Descriptors? = nil, term: String? = nil, description: String? = nil, colorLimit: ColorDepth = .trueColor,
        glyphs: GlyphSet? = nil, clipboard: Clipboard? = nil, notices: TerminalNotices? = nil, crashReport: CrashReport? = nil
    ) {
        self.descriptors = descriptors
        self.term = term
        self.description = description
        self.colorLimit = colorLimit
        self.glyphs = glyphs
        self.clipboard = clipboard
        self.notices = notices
        self.crashReport = crashReport
    }
}

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

/// The reason why the terminal cannot be opened in full-screen mode. The caller then uses plain lines.
public enum CursesFailure: Error, Equatable, Sendable {
    /// The process has no terminal, or the given descriptors are not a terminal.
    case noTerminal
    /// `TERM` is empty or not set.
    case termMissing
    /// This machine has no description of the terminal with this name.
    case termUnknown(String)
    /// The terminal cannot move its cursor, such as `dumb`.
    case termTooSimple(String)
    /// This process has already opened its terminal.
    case busy
    /// The system refused an operation that should succeed.
    case refused

    init(_ status: ct_status, term: String?) {
        let name = SafeText.line(term ?? "", limit: 40)
        switch status {
        case CT_NOT_A_TERMINAL: self = .noTerminal
        case CT_TERM_MISSING: self = .termMissing
        case CT_TERM_UNKNOWN: self = .termUnknown(name)
        case CT_TERM_TOO_SIMPLE: self = .termTooSimple(name)
        case CT_BUSY: self = .busy
        default: self = .refused
        }
    }

    /// The summary, in one line.
    public var summary: String {
        switch self {
        case .noTerminal: "there is no terminal to draw on"
        case .termMissing: "TERM is not set"
        case .termUnknown(let name): "the terminal \"\(name)\" is not known here"
        case .termTooSimple(let name): "the terminal \"\(name)\" cannot move its cursor"
        case .busy: "the terminal is in use by this program already"
        case .refused: "the terminal could not be taken over"
        }
    }

    /// The next step for the user, in one line.
    public var hint: String {
        switch self {
        case .noTerminal: "run it in a terminal, or use the commands such as status and login"
        case .termMissing: "set TERM to the kind of your terminal, such as xterm-256color, or use --plain"
        case .termUnknown: "install its description (apt install ncurses-term, kitty-terminfo or foot-terminfo), or set TERM=xterm-256color"
        case .termTooSimple: "use --plain, or a terminal such as xterm-256color"
        case .busy: "close the other screen first"
        case .refused: "use --plain, and see what doctor says"
        }
    }
}
