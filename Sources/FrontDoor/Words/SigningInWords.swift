import AuthModel

/// Every word of the signing-in screen and of its paste form.
enum SigningInWords {
    static func title(_ request: SignInRequest) -> String {
        switch (request.purpose, request.account) {
        case (.signIn, nil): "Sign in to \(request.provider)"
        case (.signIn, let account?): "Sign in to \(request.provider) as \(account)"
        case (.signUp, _): "Sign up at \(request.provider)"
        }
    }

    static func findingOut(_ request: SignInRequest) -> String { "Finding out how \(request.provider) wants you to sign in." }
    static let browserOpening = "Your browser is opening. Sign in there; this page goes on by itself."
    static let signInThere = "Sign in with your browser. This page goes on by itself."
    static let finishThere = "Finish in your browser. This page goes on by itself."
    static let makeAccount = "Make your account in your browser first. When it is there, come back and press Enter."
    static let openYourself = "Open the address below in a browser on this machine and sign in there."
    static let almostThere = "You are back. The rest takes a moment, and nothing is left for you to do."
    static let noBrowser = "No browser could be found here."
    static func browserFailed(_ reason: String) -> String { "The browser did not start: \(reason)." }

    static let anyWay = "Sign in by any of these ways; the first that succeeds counts."
    static let useAnyDevice = "Sign in on any device. This page goes on by itself."
    static let onAnyDevice = "On any device, at "
    static let openPage = ": open "
    static let typeCode = " and type the code "
    static let onlyIfYours = "Only if you started this sign-in yourself; never type a code you were sent."
    static let forwardFirst = "Or, on the machine you sit at, run this and open the address above there:"
    static let orPaste = "Or p: paste the address your browser ends on. Never give it to a web site."

    static let signInAt = "You sign in at"
    static let codeGoesTo = "The code goes to"
    static let sameHost = "the code goes there too"
    static let answerComesTo = "The answer comes to"

    static func left(_ time: String) -> String { "\(time) left" }
    static let timeIsUp = "time is up"
    static let cancelled = "sign-in cancelled; nothing was changed"

    static func ignored(_ reason: String) -> String { "Ignored an answer that was not ours: \(reason)." }
    static func times(_ number: Int) -> String { " (\(number) times)" }

    static let noURLYet = "there is no address yet: the provider is still being asked"
    static let browserIsOpening = "the browser is opening already"
    static let nothingToPasteYet = "there is nothing to paste yet: the provider is still being asked"

    static let pasteTitle = "Paste the redirect URL"
    static let pasteHelp =
        "If the browser that signed you in runs elsewhere, its last page could not be shown. Copy that page's whole address and paste it here, only here: never give it to a web site, whoever asks."
    static let pasteLabel = "Redirect URL"
    static let pasteEmpty = "there is nothing in the field yet"
    static let pasteChecking = "Checking it."

    static let keyAccountMade = "account made, sign in"
    static let helpAccountMade = "the account is made: go on to sign in with it"
    static let keyCopy = "copy URL"
    static let keyOpen = "open browser again"
    static let keyPaste = "paste redirect"
    static let codeIsForAnyDevice = "the page is for any device; nothing is opened here"
    static let noCodeDrawn = "no QR code can be drawn on this machine"
    static let keyCode = "view QR code"
    static let helpCode = "show the QR code on the whole screen"
    static let keyCloseCode = "back to the ways in"
    static let keyCancel = "cancel"
    static let helpCopy = "copy the whole address"
    static let helpOpen = "open the browser at the address again"
    static let helpPaste = "paste the address that the browser ended at, where it could not come back by itself"
    static let helpCancel = "end the attempt; its port closes at once"
    static let keySubmit = "hand it over"
    static let keyClose = "close the form"
}
