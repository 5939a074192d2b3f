public import TerminalUI

/// What the caller knows about the terminal. This module reads `TERM` and the locale only where it is told nothing.
public struct CursesOptions: Sendable {
    /// Descriptors to use instead of `/dev/tty`; they remain the caller's.
    public struct Descriptors: Sendable {
        public let input: Int32
        public let output: Int32

        public init(input: Int32, output: Int32) {
            self.input = input
            self.output = output
        }
    }

    /// Nil opens `/dev/tty`, so that standard input and output stay free for pipes.
    public var descriptors: Descriptors?
    /// The name of the terminal; nil takes `TERM`.
    public var term: String?
    /// The most colours to use: ``ColorDepth/mono`` for `NO_COLOR`. The terminal may have fewer.
    public var colorLimit: ColorDepth
    /// The signs to draw with; nil chooses by terminal and locale.
    public var glyphs: GlyphSet?
    /// What is written down when the program crashes while the terminal is ours.
    public struct CrashReport: Sendable {
        /// A file that is not there yet, in a folder that is.
        public let path: String
        /// What the file begins with; signal and place follow. It must hold no secret.
        public let text: String

        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// Nil writes nothing down.
    public var crashReport: CrashReport?
    /// Where copying is asked for; nil copies nothing.
    public var clipboard: Clipboard?

    public init(
        descriptors: Descriptors? = nil, term: String? = nil, colorLimit: ColorDepth = .trueColor, glyphs: GlyphSet? = nil,
        clipboard: Clipboard? = nil, crashReport: CrashReport? = nil
    ) {
        self.descriptors = descriptors
        self.term = term
        self.colorLimit = colorLimit
        self.glyphs = glyphs
        self.clipboard = clipboard
        self.crashReport = crashReport
    }
}
