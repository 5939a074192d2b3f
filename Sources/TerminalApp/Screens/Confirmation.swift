import AuthModel
import Localization
import TerminalAppModel

/// A confirmation of a dangerous action.
struct Confirmation: Equatable, Sendable {
    var title: String
    /// What happens after a yes, one paragraph each.
    var text: [String]
    /// The label of the dangerous answer.
    var yes: String
    /// The destination after a yes.
    var destination: Destination
}

extension Confirmation {
    /// Returns the confirmation before a session is forgotten.
    static func forgetting(_ name: SessionName) -> Confirmation {
        Confirmation(
            title: tr("Forget {1}", name),
            text: [
                tr(
                    "The session and its tokens are removed from this machine. The provider is not notified: copied tokens stay valid until they expire."
                ),
                tr("To revoke them as well, go back and press o to sign out."), ForgetWords.grace,
            ],
            yes: tr("yes, forget it"), destination: .signingOut(name, .localOnly))
    }

    /// Returns the confirmation before every session is ended.
    ///
    /// - Parameter count: the number of sessions.
    static func signingOutEverywhere(_ count: Int) -> Confirmation {
        Confirmation(
            title: SignOutWords.everywhere,
            text: [
                plural(
                    count, "Revokes the tokens of {1} session at its provider, then removes it here.",
                    "Revokes the tokens of {1} sessions at their providers, then removes them here."),
                tr("This cannot be undone. To get a session back, sign in again."),
            ],
            yes: tr("yes, sign out everywhere"), destination: .signingOutEverywhere)
    }
}
