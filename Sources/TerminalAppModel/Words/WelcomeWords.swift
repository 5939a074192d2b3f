package import AuthModel
import Localization

/// The texts after a successful sign-in.
package enum WelcomeWords {
    package static var title: String { tr("Signed in") }
    /// Returns the greeting.
    ///
    /// - Parameter account: the user's account name; nil if unknown.
    package static func welcome(_ account: String?) -> String { account.map { tr("Welcome, {1}.", $0) } ?? tr("Welcome.") }
    package static func signedIn(_ provider: ProviderName) -> String { tr("You are signed in to {1}.", provider) }
    package static var session: String { tr("session") }
    package static var scopes: String { tr("scopes") }
    package static var useIt: String { tr("From the shell") }
    package static var notInTheDemo: String {
        tr("Other programs cannot see demo sessions. With your own provider, run:")
    }
    package static func command(_ name: SessionName) -> String { "yett token \(name.shellWord)" }
    package static var keyHome: String { tr("view sessions") }
    package static var keyInspect: String { tr("view session") }
    package static var keyCopyCommand: String { tr("copy command") }
}
