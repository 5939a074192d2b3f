package import AuthModel
import Localization

/// The texts of the picker.
package enum PickerWords {
    package static var signInTitle: String { tr("Where do you want to sign in?") }
    package static var signUpTitle: String { tr("Where do you want to sign up?") }
    package static var anybody: String { tr("not signed in") }
    package static var anotherAccount: String { tr("as another user") }
    package static func account(_ label: String) -> String { tr("as {1}", label) }
    package static var newAccount: String { tr("a new account") }
    package static func found(_ count: Int) -> String { plural(count, "{1} option", "{1} options") }
    package static var noMatches: String { tr("no matches") }
    package static var filter: String { tr("Filter") }
    package static var typeToFilter: String { tr("type to filter") }

    package static func key(_ purpose: SignInRequest.Purpose) -> String { purpose == .signIn ? tr("sign in") : tr("sign up") }
    package static var keyClear: String { tr("show all") }
    package static var keyFilter: String { tr("filter") }
    package static var helpFilter: String { tr("show only lines that contain the typed words") }
}
