import Localization

/// The texts of the next-step screen.
package enum NextStepWords {
    package static var getIt: String { tr("You sign in with an authenticator. If you have none yet, get it here:") }
    package static var thenSignIn: String { tr("When your account is ready, press Enter to sign in.") }
    package static var keyOpen: String { tr("open page") }
    package static var helpOpen: String { tr("open the page where you can get the authenticator") }
    package static var isOpen: String { tr("the page is open in your browser") }
    package static var noBrowser: String { tr("no browser was found: press c to copy the address") }
}
