import Localization

/// The texts of the next-step screen.
enum NextStepWords {
    static var getIt: String { tr("You sign in with an authenticator. If you have none yet, get it here:") }
    static var thenSignIn: String { tr("When your account is ready, press Enter to sign in.") }
    static var keyOpen: String { tr("open page") }
    static var helpOpen: String { tr("open the page where you can get the authenticator") }
    static var isOpen: String { tr("the page is open in your browser") }
    static var noBrowser: String { tr("no browser was found: press c to copy the address") }
}
