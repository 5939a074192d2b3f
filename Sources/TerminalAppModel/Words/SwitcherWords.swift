package import AuthModel
import Localization

/// The texts of the quick switcher.
package enum SwitcherWords {
    package static var title: String { tr("Switch account") }
    package static var key: String { tr("switch") }
    package static var help: String { tr("choose an account by its name") }
    package static var placeholder: String { tr("type letters of the account") }
    package static var keyLine: String { tr("copy export line") }
    package static var helpLine: String { tr("copy a shell line that sets ACCESS_TOKEN") }
    package static var noSession: String { tr("there is no session to switch to") }
    package static func onlyAccount(_ provider: ProviderName) -> String { tr("it is the only account at {1}", provider) }
}
