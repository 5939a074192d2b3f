import AuthModel

/// The texts of the signing-in screen and its paste form.
enum SigningInWords {
    static func title(_ request: SignInRequest) -> String {
        switch (request.purpose, request.account) {
        case (.signIn, nil): tr("Sign in to {1}", request.provider)
        case (.signIn, let account?): tr("Sign in to {1} as {2}", request.provider, account)
        case (.signUp, _): tr("Sign up at {1}", request.provider)
        case (.recover, _): tr("Recover an account at {1}", request.provider)
        }
    }

    static func findingOut(_ request: SignInRequest) -> String { tr("Finding out how {1} wants you to sign in.", request.provider) }
    static var browserOpening: String { tr("Your browser is opening. Sign in there; this page goes on by itself.") }
    static var signInThere: String { tr("Sign in with your browser. This page goes on by itself.") }
    static var finishThere: String { tr("Finish in your browser. This page goes on by itself.") }
    static var makeAccount: String { tr("Make your account in your browser first. When it is there, come back and press Enter.") }
    static var openYourself: String { tr("Open the address below in a browser on this machine and sign in there.") }
    static var almostThere: String { tr("You are back. The rest takes a moment, and nothing is left for you to do.") }
    static var noBrowser: String { tr("No browser could be found here.") }
    static func browserFailed(_ reason: String) -> String { tr("The browser did not start: {1}.", told(reason)) }

    static var anyMethod: String { tr("Sign in by any of these ways; the first that succeeds counts.") }
    static var useAnyDevice: String { tr("Sign in on any device. This page goes on by itself.") }
    static var goesOn: String { tr("Signing you in. There is nothing for you to do.") }
    static var otherMethods: String { tr("Other ways in") }
    static var onAnyDevice: String { tr("On any device, at ") }
    static var openPage: String { tr(": open ") }
    static var typeCode: String { tr(" and type the code ") }
    static var onlyIfYours: String { tr("Only if you started this sign-in yourself; never type a code you were sent.") }
    static var forwardFirst: String { tr("Or, on the machine you sit at, run this and open the whole address there:") }
    static func orPaste(isCode: Bool) -> String {
        isCode
            ? tr("Then p: paste the code that the page shows. Never give it to a web site.")
            : tr("Or p: paste the address your browser ends on. Never give it to a web site.")
    }

    static var authenticatorIntro: String {
        tr("Finish in the browser or in your authenticator, which it hands over to. Where you have none yet, get it at")
    }

    static var signInAt: String { tr("You sign in at") }
    static var codeGoesTo: String { tr("The code goes to") }
    static var sameHost: String { tr("the code goes there too") }
    static var answerComesTo: String { tr("The answer comes to") }

    static func left(_ time: String) -> String { tr("{1} left", time) }
    static var timeIsUp: String { tr("time is up") }
    static var cancelled: String { tr("sign-in cancelled; nothing was changed") }

    static func ignored(_ reason: String) -> String { tr("Ignored an answer that was not ours: {1}.", told(reason)) }
    static func times(_ number: Int) -> String { tr(" ({1} times)", number) }

    static var noURLYet: String { tr("there is no address yet: the provider is still being asked") }
    static var browserIsOpening: String { tr("the browser is opening already") }
    static var nothingToPasteYet: String { tr("there is nothing to paste yet: the provider is still being asked") }

    static func pasteTitle(isCode: Bool) -> String { isCode ? tr("Paste the code") : tr("Paste the redirect URL") }
    static func pasteHelp(isCode: Bool) -> String {
        isCode
            ? tr(
                "The page at the end of the sign-in shows a code. Copy it and paste it here, only here: never give it to a web site, whoever asks."
            )
            : tr(
                "If the browser that signed you in runs elsewhere, its last page could not be shown. Copy that page's whole address and paste it here, only here: never give it to a web site, whoever asks."
            )
    }
    static func pasteLabel(isCode: Bool) -> String { isCode ? tr("Code") : tr("Redirect URL") }
    static var pasteEmpty: String { tr("there is nothing in the field yet") }
    static var pasteChecking: String { tr("Checking it.") }

    static var keyAccountMade: String { tr("account made, sign in") }
    static var helpAccountMade: String { tr("the account is made: go on to sign in with it") }
    static var keyCopy: String { tr("copy URL") }
    static var keyOpen: String { tr("open browser again") }
    static var keyPaste: String { tr("paste redirect") }
    static var codeWorksOnAnyDevice: String { tr("the page is for any device; nothing is opened here") }
    static var noCodeDrawn: String { tr("no QR code can be drawn on this machine") }
    static var noDeviceCode: String { tr("there is no code for another device now; where one can be had, it comes by itself") }
    static func codeRefused(_ reason: String) -> String { tr("No code for another device can be had here: {1}.", reason) }
    static var deviceCodeIsComing: String { tr("the provider is being asked for a code already") }
    static var keyDeviceCode: String { tr("device code") }
    static var helpDeviceCode: String { tr("get a code to type on any other device") }
    static var keyCode: String { tr("view QR code") }
    static var helpCode: String { tr("show the QR code on the whole screen") }
    static var keyCloseCode: String { tr("back to the ways in") }
    static var keyCancel: String { tr("cancel") }
    static var helpCopy: String { tr("copy the whole address") }
    static var helpOpen: String { tr("open the browser at the address again") }
    static var helpPaste: String { tr("paste the address that the browser ended at, where it could not come back by itself") }
    static var helpCancel: String { tr("end the attempt; its port closes at once") }
    static var keySubmit: String { tr("hand it over") }
    static var keyClose: String { tr("close the form") }
}
