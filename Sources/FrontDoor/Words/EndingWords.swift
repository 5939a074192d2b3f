import AuthModel

/// Every word of ending a session: the question, the waiting, the receipt.
enum SignOutWords {
    static func title(_ name: SessionName) -> String { "Sign out of \(name)" }
    static func question(_ name: SessionName) -> String { "How do you want to end the session \(name)?" }
    static func choice(_ mode: SignOutMode) -> (title: String, meaning: String) {
        switch mode {
        case .revoke: ("Revoke and forget", "The provider is told to end the tokens; then they are removed here.")
        case .endBrowserSession: ("Revoke, forget, and end the browser's session", "Your browser is signed out at the provider as well.")
        case .localOnly: ("Forget here only", "The provider is not told. Copied tokens stay good until they end.")
        }
    }
    static let keyChoose = "choose"
    static let keyKeep = "keep the session"
    static let keyLeave = "leave it to itself"
    static func underWay(_ name: SessionName) -> String { "Ending \(name)." }
    static let underWayHint = "The provider may take a few seconds. The session is forgotten here whatever it answers."
    static func goesOn(_ name: SessionName) -> String { "the sign-out of \(name) goes on" }

    static let receiptTitle = "Receipt"
    static func complete(_ name: SessionName) -> String { "You are signed out of \(name)." }
    static func forgotten(_ name: SessionName) -> String { "\(name) is forgotten here. The provider was not told." }
    static func incomplete(_ name: SessionName) -> String { "\(name) is gone here, but the provider could not be told everything." }
    static func outcome(_ receipt: SignOutReceipt) -> String {
        guard receipt.isComplete else { return incomplete(receipt.session) }
        return receipt.entries.allSatisfy { $0.step == .forget } ? forgotten(receipt.session) : complete(receipt.session)
    }
    static let done = "done"
    static func skipped(_ reason: String) -> String { "not needed: \(reason)" }
    static func unconfirmed(_ reason: String) -> String { "not confirmed: \(reason)" }
    static func failed(_ reason: String, isQueued: Bool) -> String { "failed: \(reason)" + (isQueued ? "; it will be tried again" : "") }
    static let browserOpens = "Your browser ends its own session at this page:"
    static let browserDidNotOpen = "Open this page in your browser to end its own session:"
    static let noBrowserPage = "there is no page to open: the browser's session was not to be ended"
    static func ended(_ receipt: SignOutReceipt) -> String {
        guard receipt.isComplete else { return "\(receipt.session) is gone here; the provider could not be told everything" }
        return receipt.entries.allSatisfy { $0.step == .forget }
            ? "\(receipt.session) is forgotten here; the provider was not told" : "signed out of \(receipt.session)"
    }
}

/// Every word after a sign-in that went through.
enum WelcomeWords {
    static let title = "Signed in"
    static func welcome(_ account: String) -> String { "Welcome, \(account)." }
    static func signedIn(_ provider: ProviderName) -> String { "You are signed in to \(provider)." }
    static let session = "session"
    static let scopes = "scopes"
    static let useIt = "From the shell"
    static func command(_ name: SessionName) -> String { "yett token \(quoted(name.description))" }
    static let keyHome = "to the sessions"
    static let keyInspect = "look at it"

    /// A name as a shell takes it in one piece.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte < 0x80
                && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber || "._-/@+:".utf8.contains(byte))
        }
        return isPlain ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

/// Every word of the problem screen.
enum ProblemWords {
    static let title = "Problem"
    static func didNotWork(_ what: String) -> String { "\(what): that did not work" }
    static let what = "What happened"
    static let why = "What kind of trouble"
    static let next = "What to do"
    static let keyRetry = "try again"
    static let noRetry = "trying again cannot help here"
    static let pressRetry = "Press r to try again, or Esc to go back."
    static let pressBack = "Press Esc to go back."
    static let unchanged = "Whatever sessions you had are as they were."

    static func kind(_ kind: AuthFailure.Kind) -> String {
        switch kind {
        case .bug: "An error in this program, or something nobody foresaw."
        case .configuration: "The configuration, the store or this machine needs to be put right first."
        case .cancelled: "It was cancelled."
        case .timedOut: "Nobody answered in time."
        case .denied(let code): code.map { "The provider said no (\($0))." } ?? "The provider said no."
        case .signInAgain: "The grant is gone. Only a new sign-in helps."
        case .unavailable(let wait):
            wait.map { "Network or server trouble. The server asks to wait \(Words.span($0))." }
                ?? "Network or server trouble; it may pass."
        case .security: "Something was not exactly right, and going on could harm you. So it was refused."
        case .notSignedIn: "There is no such session."
        case .alreadySignedIn: "There is such a session already."
        case .usage: "It was asked for in a way that is not understood."
        }
    }
}

/// Every word of the unlock screen.
enum UnlockWords {
    static let title = "Unlock"
    static let newTitle = "Choose a passphrase"
    static let help = "Your sessions are sealed. The passphrase opens them; it stays in this program's memory only as long as you type it."
    static let newHelp = "Your sessions will be sealed with it. It cannot be recovered: whoever forgets it signs in again everywhere."
    static let passphrase = "Passphrase"
    static let again = "Once more"
    static let opening = "Opening the store. That takes a moment on purpose."
    static let different = "the two are not the same; type both again"
    static let empty = "there is nothing in the field yet"
    static let isOpening = "the store is being opened already"
    static let keyUnlock = "unlock"
    static let keyNext = "next field"
    static let keySeal = "seal the store"
    static let keyLater = "later"
}

/// Every word of the help screen.
enum HelpWords {
    static let title = "Help"
    static func keysOf(_ subject: String) -> String { "Keys here: \(subject)" }
    static let everywhere = "Keys everywhere"
    static let states = "What the states mean"
    /// What to do about it, behind the colon, is said when the key is pressed.
    static func notNow(_ reason: String) -> String { "not now: \(reason.split(separator: ": ", maxSplits: 1).first ?? "")" }
}
