import AuthModel
import Localization
import TerminalAppModel

/// The texts of the home screen.
enum HomeWords {
    static var title: String { tr("Home") }
    static var greeting: (first: String, second: String) {
        (tr("Sign in once, in your own browser."), tr("Your tools get their tokens here."))
    }
    static var loadTitle: String { tr("Load providers and sessions") }
    static var loading: String { tr("Loading sessions.") }

    static var addedElsewhere: String { tr("Changes made in another window appear here automatically.") }

    /// Returns the text of the guest banner.
    ///
    /// - Parameter prompt: the provider's own text for guests.
    static func guest(_ name: SessionName, prompt: String?) -> String {
        guard let prompt, !prompt.isEmpty else {
            return tr("You are a guest of {1}. To keep your data, press s to sign in.", name.provider)
        }
        return tr("{1}: {2}. Press s to sign in.", name.provider, prompt)
    }

    static var notRead: String { tr("could not load the providers: press r to try again") }
    /// Returns the notice about keys pressed before the providers are loaded.
    ///
    /// - Parameter keys: the labels of the keys.
    static func waits(_ keys: String) -> String { tr("when the providers are loaded: {1}", keys) }
    static var nothingToChoose: String { tr("no provider is configured: press n to add one, or quit and run yett demo") }
    static var noSignUp: String { tr("no configured provider supports sign-up") }

    static var keyChoose: String { tr("choose") }
    static var keySignIn: String { tr("sign in") }
    static var keySignUp: String { tr("sign up") }
    static var keyReload: String { tr("reload") }
    static var helpChoose: String { tr("start the selected action") }
    static var helpSignIn: String { tr("choose where to sign in") }
    static var helpSignUp: String { tr("choose where to sign up") }
    static var helpReload: String { tr("reload the providers and sessions") }
}
