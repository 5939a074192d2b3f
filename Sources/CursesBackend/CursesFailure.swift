internal import CTerminal
internal import TerminalUI

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

    /// The failure in one line.
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
