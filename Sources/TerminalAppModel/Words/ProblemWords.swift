package import AuthModel
import Localization

/// The texts of the problem screen.
package enum ProblemWords {
    package static var title: String { tr("Problem") }
    package static func didNotWork(_ what: String) -> String { tr("Failed: {1}", what) }
    package static var what: String { tr("What happened") }
    package static var why: String { tr("Kind of problem") }
    package static var next: String { tr("What to do") }
    package static var keyCopy: String { tr("copy details") }
    package static var helpCopy: String { tr("copy this text to the clipboard; it contains no secrets") }
    package static var keyRetry: String { tr("try again") }
    package static var noRetry: String { tr("trying again does not help") }
    package static var pressRetry: String { tr("Press r to try again, or Esc to go back.") }
    package static var pressBack: String { tr("Press Esc to go back.") }
    package static var unchanged: String { tr("Your existing sessions are unchanged.") }

    package static func kind(_ kind: AuthFailure.Kind) -> String {
        switch kind {
        case .bug: tr("A bug in Yett, or an unexpected failure.")
        case .configuration: tr("Fix the configuration, the store or this machine first.")
        case .cancelled: tr("Cancelled.")
        case .timedOut: tr("Timed out waiting for an answer.")
        case .denied(let code): code.map { tr("The provider denied the request ({1}).", $0) } ?? tr("The provider denied the request.")
        case .signInAgain: tr("The session can no longer be renewed. Sign in again.")
        case .unavailable(let wait):
            wait.map { tr("A network or server problem. The server asks to wait {1}.", Words.span($0)) }
                ?? tr("A network or server problem; it may be temporary.")
        case .security: tr("Refused: a security check failed.")
        case .notSignedIn: tr("This session does not exist.")
        case .alreadySignedIn: tr("This session already exists.")
        case .usage: tr("The request is not valid.")
        }
    }
}
