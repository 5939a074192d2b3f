import AuthModel
import Localization

/// The texts for ending a session: the question, the progress, the receipt.
enum SignOutWords {
    static func title(_ name: SessionName) -> String { tr("Sign out of {1}", name) }
    static func question(_ name: SessionName) -> String { tr("How do you want to sign out of {1}?", name) }
    static func choice(_ mode: SignOutMode, for name: SessionName, in model: AppModel) -> (title: String, meaning: String) {
        switch mode {
        case .withBase:
            (
                tr("Revoke and forget, and sign out of {1} as well", model.provider(name.provider)?.base?.provider.text ?? ""),
                tr("This session was created from the session there: its user vouched for you.")
            )
        case .revoke: (tr("Revoke and forget"), tr("Revokes the tokens at the provider, then removes them here."))
        case .endBrowserSession:
            (tr("Revoke, forget, and end the browser's session"), tr("Also signs your browser out at the provider."))
        case .localOnly: (tr("Forget here only"), tr("The provider is not told. Copied tokens stay valid until they expire."))
        }
    }
    static var everywhere: String { tr("Sign out everywhere") }
    static var keyEverywhere: String { tr("sign out everywhere") }
    static var helpEverywhere: String { tr("end every session; asks for confirmation once") }
    static func everywhere(_ count: Int) -> Confirmation {
        Confirmation(
            title: everywhere,
            text: [
                plural(
                    count, "Revokes the tokens of {1} session at its provider, then removes it here.",
                    "Revokes the tokens of {1} sessions at their providers, then removes them here."),
                tr("This cannot be undone. To get a session back, sign in again."),
            ],
            yes: tr("yes, sign out everywhere"), destination: .signingOutEverywhere)
    }
    static func underWayEverywhere(_ count: Int) -> String { plural(count, "Signing out of {1} session.", "Signing out of {1} sessions.") }
    static func endedEverywhere(_ count: Int) -> String {
        plural(count, "You are signed out of {1} session.", "You are signed out of {1} sessions.")
    }
    static func failedSignOuts(_ count: Int) -> String {
        plural(count, "Could not fully sign out of {1} session.", "Could not fully sign out of {1} sessions.")
    }
    /// Returns why a sign-out is incomplete.
    static func trouble(_ receipt: SignOutReceipt) -> String {
        for case .failed(let reason, let isQueued) in receipt.entries.map(\.outcome) { return failed(reason, isQueued: isQueued) }
        return ended(receipt)
    }
    static var keyStop: String { tr("stop") }
    static var helpStop: String { tr("end no more sessions; sign-outs in progress continue") }
    static func stopped(_ count: Int) -> String {
        plural(count, "stopped: {1} session remains", "stopped: {1} sessions remain")
    }

    static var keyChoose: String { tr("choose") }
    static var keyKeep: String { tr("cancel") }
    static var keyLeave: String { tr("run in background") }
    static func underWay(_ name: SessionName) -> String { tr("Signing out of {1}.", name) }
    static var underWayHint: String { tr("The provider may take a few seconds. The session is forgotten here in any case.") }
    static func goesOn(_ name: SessionName) -> String { tr("the sign-out of {1} continues in the background", name) }

    static var receiptTitle: String { tr("Receipt") }
    static func complete(_ name: SessionName) -> String { tr("You are signed out of {1}.", name) }
    static func forgotten(_ name: SessionName) -> String { tr("{1} was forgotten here. The provider was not notified.", name) }
    static func incomplete(_ name: SessionName) -> String { tr("{1} was forgotten here, but some steps at the provider failed.", name) }
    static func outcome(_ receipt: SignOutReceipt) -> String {
        guard receipt.isComplete else { return incomplete(receipt.session) }
        return receipt.isProviderNotified ? complete(receipt.session) : forgotten(receipt.session)
    }
    static func outcome(_ outcome: SignOutReceipt.Outcome) -> String {
        switch outcome {
        case .done: done
        case .skipped(let reason): skipped(reason)
        case .unconfirmed(let reason): unconfirmed(reason)
        case .failed(let reason, let isQueued): failed(reason, isQueued: isQueued)
        }
    }
    static var done: String { tr("done") }
    static func skipped(_ reason: UserMessage) -> String { tr("skipped: {1}", reason.text()) }
    static func unconfirmed(_ reason: UserMessage) -> String { tr("not confirmed: {1}", reason.text()) }
    static func failed(_ reason: UserMessage, isQueued: Bool) -> String {
        tr("failed: {1}", reason.text()) + (isQueued ? tr("; it will be retried") : "")
    }
    static var browserOpens: String { tr("Your browser opens this page to end its own session:") }
    static var browserDidNotOpen: String { tr("Open this page in your browser to end its own session:") }
    static var noBrowserPage: String { tr("no page to open: you did not choose to end the browser's session") }
    static func ended(_ receipt: SignOutReceipt) -> String {
        guard receipt.isComplete else { return tr("{1} was forgotten here; some steps at the provider failed", receipt.session) }
        return receipt.isProviderNotified
            ? tr("signed out of {1}", receipt.session) : tr("{1} was forgotten here; the provider was not notified", receipt.session)
    }
}

/// The texts after a successful sign-in.
enum WelcomeWords {
    static var title: String { tr("Signed in") }
    /// Returns the greeting.
    ///
    /// - Parameter account: the user's account name; nil if unknown.
    static func welcome(_ account: String?) -> String { account.map { tr("Welcome, {1}.", $0) } ?? tr("Welcome.") }
    static func signedIn(_ provider: ProviderName) -> String { tr("You are signed in to {1}.", provider) }
    static var session: String { tr("session") }
    static var scopes: String { tr("scopes") }
    static var useIt: String { tr("From the shell") }
    static var notInTheDemo: String {
        tr("Other programs cannot see demo sessions. With your own provider, run:")
    }
    static func command(_ name: SessionName) -> String { "yett token \(name.shellWord)" }
    static var keyHome: String { tr("view sessions") }
    static var keyInspect: String { tr("view session") }
    static var keyCopyCommand: String { tr("copy command") }
}

/// The texts of the problem screen.
enum ProblemWords {
    static var title: String { tr("Problem") }
    static func didNotWork(_ what: String) -> String { tr("Failed: {1}", what) }
    static var what: String { tr("What happened") }
    static var why: String { tr("Kind of problem") }
    static var next: String { tr("What to do") }
    static var keyCopy: String { tr("copy details") }
    static var helpCopy: String { tr("copy this text to the clipboard; it contains no secrets") }
    static var keyRetry: String { tr("try again") }
    static var noRetry: String { tr("trying again does not help") }
    static var pressRetry: String { tr("Press r to try again, or Esc to go back.") }
    static var pressBack: String { tr("Press Esc to go back.") }
    static var unchanged: String { tr("Your existing sessions are unchanged.") }

    static func kind(_ kind: AuthFailure.Kind) -> String {
        switch kind {
        case .bug: tr("A bug in Yett, or an unexpected failure.")
        case .configuration: tr("Fix the configuration, the store or this machine first.")
        case .cancelled: tr("Cancelled.")
        case .timedOut: tr("Timed out waiting for an answer.")
        case .denied(let code): code.map { tr("The provider denied the request ({1}).", $0) } ?? tr("The provider denied the request.")
        case .signInAgain: tr("The session can no longer be renewed. Sign in again.")
        case .unavailable(let wait):
            wait.map { tr("A network or server problem. The server asks to wait {1}.", Words.span($0)) }
                ?? tr("A network or server problem; it may be temporary.")
        case .security: tr("Refused: a security check failed.")
        case .notSignedIn: tr("This session does not exist.")
        case .alreadySignedIn: tr("This session already exists.")
        case .usage: tr("The request is not valid.")
        case .notNeeded, .accountRequested: tr("There is no problem.")
        }
    }
}

/// The texts of the unlock screen.
enum UnlockWords {
    static var title: String { tr("Unlock") }
    static var newTitle: String { tr("Choose a passphrase") }
    static var help: String {
        tr("Your sessions are sealed. Enter the passphrase to unlock them. It stays in memory only while you type it.")
    }
    static var newHelp: String {
        tr("It encrypts your sessions and cannot be recovered. If you forget it, sign in everywhere again.")
    }
    static var passphrase: String { tr("Passphrase") }
    static var again: String { tr("Repeat") }
    static var opening: String { tr("Opening the store. This takes a moment by design.") }
    static var different: String { tr("the passphrases do not match: type both again") }
    static var empty: String { tr("the field is empty") }
    static var isOpening: String { tr("the store is already being opened") }
    static var keyUnlock: String { tr("unlock") }
    static var keyNext: String { tr("next field") }
    static var keySeal: String { tr("seal the store") }
    static var keyLater: String { tr("later") }
}

/// The texts of the help screen.
enum HelpWords {
    static var mouse: String { tr("Mouse") }
    static var mouseActions: [(action: String, effect: String)] {
        [
            (tr("click"), tr("selects a row or a field; a second click chooses the row")),
            (tr("click on a key"), tr("presses that key, in the bottom line")), (tr("wheel"), tr("moves or scrolls")),
            (tr("drag with Shift"), tr("selects text to copy")),
        ]
    }
    static var title: String { tr("Help") }
    static func keysOf(_ subject: String) -> String { tr("Keys here: {1}", subject) }
    static var everywhere: String { tr("Keys everywhere") }
    static var states: String { tr("What the states mean") }
    /// Returns the reason without the advice after its colon, which is shown when the key is pressed.
    static func notNow(_ reason: String) -> String { tr("not now: {1}", reason.split(separator: ": ", maxSplits: 1).first ?? "") }
}
