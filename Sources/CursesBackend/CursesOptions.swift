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
    /// The terminal's description, in the hexadecimal notation of the variable `TERMINFO`; nil uses the installed one. See ``DirectColors``.
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
