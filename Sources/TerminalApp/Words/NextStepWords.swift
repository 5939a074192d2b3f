/// The texts of the next-step screen.
enum NextStepWords {
    static var getIt: String { tr("You sign in with an authenticator. Where you have none yet, get it here:") }
    static var thenSignIn: String { tr("When your account is there, press Enter to sign in.") }
    static var keyOpen: String { tr("open page") }
    static var helpOpen: String { tr("open the page where the authenticator is to be had") }
    static var isOpen: String { tr("the page is open in your browser") }
    static var noBrowser: String { tr("no browser could be found here: copy the address with c") }
}
