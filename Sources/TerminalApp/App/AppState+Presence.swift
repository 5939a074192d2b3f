import AuthModel
import TerminalAppModel
import TerminalUI

/// What the app shows outside its screen: the title of the terminal's window, and notices on the desktop.
extension AppState {
    /// The title of the terminal's window: the program, and the number of sessions that need the user.
    var title: String {
        let attention = SessionCount(in: model).attention
        return attention > 0 ? "\(Words.program) \(Words.glyph(.needsSignIn, model.glyphs))\(attention)" : Words.program
    }

    /// Applies a message, and returns its commands and those of the notices that are due.
    mutating func takeAndNotify(_ message: Message) -> [Command] {
        // Before the message is applied, because it closes the sign-in's screen.
        let signIn = signInNotice(message)
        let commands = take(message)
        return commands + (signIn.map { [.notify($0)] } ?? []) + noticesOfEnds().map { .notify($0) }
    }

    /// Returns the notice for a sign-in that has completed behind another screen.
    private func signInNotice(_ message: Message) -> String? {
        guard case .signInReported(let run, .finished(.success(let session)), _) = message, !model.isPlain,
            (current.screen as? SigningInScreen)?.run != run
        else { return nil }
        return PresenceWords.signedIn(session.name)
    }

    /// Returns the notices for the sessions that end soon: one for each session and end. A session that has little time left when it is seen
    /// first gets none, because the user has just signed in or started the app.
    private mutating func noticesOfEnds() -> [String] {
        guard !model.isPlain else { return [] }
        let due = noticeDueAt
        noticeDueAt = model.overview.nextNotice
        guard let due, due <= model.now else { return [] }
        return (model.sessions ?? []).compactMap { session in
            guard !session.isRenewable, !session.hasEnded(at: model.now), let end = session.accessExpiresAt, end > model.now else {
                return nil
            }
            let notice = end - SessionOverview.noticeTime
            guard notice >= due, notice <= model.now, session.receivedAt < notice else { return nil }
            return PresenceWords.endsSoon(session.name, Words.relative(end, to: model.now))
        }
    }
}
