import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension Activity {
    /// What happened, with programs by their names; empty if the name of the kind says it.
    ///
    /// For an issued token the event says it all but the program and the scope.
    var details: String {
        guard kind == .issued, let use = TokenUse(of: self) else { return short(message.withProgramNames) }
        return ActivityWords.use(use) + (restriction?.text() ?? "")
    }

    /// What happened, with the whole paths of programs; empty if the name of the kind says it.
    var fullDetails: String { short(message) }

    private func short(_ message: UserMessage) -> String {
        let text = message.text()
        return text == Words.activity(kind) || isCancelled ? "" : text
    }

    /// The style of the event.
    var role: Role { isCancelled ? .muted : kind.role }
}

extension Activity.Kind {
    /// The style of a log line.
    var role: Role {
        switch self {
        case .signedIn, .renewed: .success
        case .signInFailed, .renewalFailed: .danger
        case .tokenRefused, .consentedByCaller: .warning
        case .issued, .consented: .info
        case .signedOut: .muted
        }
    }
}
