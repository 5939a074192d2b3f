import AuthModel
import TerminalAppModel
import TerminalUI

/// What the app shows outside its screen: the title of the terminal's window.
extension AppState {
    /// The title of the terminal's window: the program, and the number of sessions that need the user.
    var title: String {
        let attention = SessionCount(in: model).attention
        return attention > 0 ? "\(Words.program) \(Words.glyph(.needsSignIn, model.glyphs))\(attention)" : Words.program
    }
}
