import AuthModel

/// The texts for ending a session: the question, the progress, the receipt.
enum SignOutWords {
    static func title(_ name: SessionName) -> String { tr("Sign out of {1}", name) }
    static func question(_ name: SessionName) -> String { tr("How do you want to end the session {1}?", name) }
    static func choice(_ mode: SignOutMode, for name: SessionName, in model: AppModel) -> (title: String, meaning: String) {
        switch mode {
        case .withBase:
            (
                tr("Revoke and forget, and sign out of {1} as well", model.provider(name.provider)?.base?.provider.text ?? ""),
                tr("This session was made from the one there: whoever is signed in there vouched for you.")
            )
        case .revoke: (tr("Revoke and forget"), tr("The provider is told to end the tokens; then they are removed here."))
        case .endBrowserSession:
            (tr("Revoke, forget, and end the browser's session"), tr("Your browser is signed out at the provider as well."))
        case .localOnly: (tr("Forget here only"), tr("The provider is not told. Copied tokens stay good until they end."))
        }
    }
    static var everywhere: String { tr("Sign out everywhere") }
    static var keyEverywhere: String { tr("sign out everywhere") }
    static var helpEverywhere: String { tr("end every session; you are asked once") }
    static func everywhere(_ count: Int) -> Confirmation {
        Confirmation(
            title: everywhere,
            text: [
                plural(
                    count, "The provider is told to end the tokens of {1} session; then it is removed here.",
                    "The providers are told to end the tokens of {1} sessions; then they are removed here."),
                tr("This cannot be undone: only a new sign-in brings a session back."),
            ],
            yes: tr("yes, sign out everywhere"), destination: .signingOutEverywhere)
    }
    static func underWayEverywhere(_ count: Int) -> String { plural(count, "Ending {1} session.", "Ending {1} sessions.") }
    static func endedEverywhere(_ count: Int) -> String {
        plural(count, "You are signed out of {1} session.", "You are signed out of {1} sessions.")
    }
    static func failedSignOuts(_ count: Int) -> String {
        plural(count, "{1} session did not end as it should.", "{1} sessions did not end as they should.")
    }
    /// Returns why a sign-out is incomplete.
    static func trouble(_ receipt: SignOutReceipt) -> String {
        for case .failed(let reason, let isQueued) in receipt.entries.map(\.outcome) { return failed(reason, isQueued: isQueued) }
        return ended(receipt)
    }
    static var keyStop: String { tr("stop here") }
    static var helpStop: String { tr("end no more sessions; what is under way goes on") }
    static func stopped(_ count: Int) -> String {
        plural(count, "stopped: {1} session stays", "stopped: {1} sessions stay")
    }

    static var keyChoose: String { tr("choose") }
    static var keyKeep: String { tr("keep the session") }
    static var keyLeave: String { tr("leave it to itself") }
    static func underWay(_ name: SessionName) -> String { tr("Ending {1}.", name) }
    static var underWayHint: String { tr("The provider may take a few seconds. The session is forgotten here whatever it answers.") }
    static func goesOn(_ name: SessionName) -> String { tr("the sign-out of {1} goes on", name) }

    static var receiptTitle: String { tr("Receipt") }
    static func complete(_ name: SessionName) -> String { tr("You are signed out of {1}.", name) }
    static func forgotten(_ name: SessionName) -> String { tr("{1} is forgotten here. The provider was not told.", name) }
    static func incomplete(_ name: SessionName) -> String { tr("{1} is gone here, but the provider could not be told everything.", name) }
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
    static func skipped(_ reason: String) -> String { tr("skipped: {1}", told(reason)) }
    static func unconfirmed(_ reason: String) -> String { tr("not confirmed: {1}", told(reason)) }
    static func failed(_ reason: String, isQueued: Bool) -> String {
        tr("failed: {1}", told(reason)) + (isQueued ? tr("; it will be tried again") : "")
    }
    static var browserOpens: String { tr("Your browser ends its own session at this page:") }
    static var browserDidNotOpen: String { tr("Open this page in your browser to end its own session:") }
    static var noBrowserPage: String { tr("there is no page to open: the browser's session was not to be ended") }
    static func ended(_ receipt: SignOutReceipt) -> String {
        guard receipt.isComplete else { return tr("{1} is gone here; the provider could not be told everything", receipt.session) }
        return receipt.isProviderNotified
            ? tr("signed out of {1}", receipt.session) : tr("{1} is forgotten here; the provider was not told", receipt.session)
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
        tr("Not in the demo, whose sessions no other program sees. With a provider of your own it is:")
    }
    static func command(_ name: SessionName) -> String { "yett token \(name.shellWord)" }
    static var keyHome: String { tr("to the sessions") }
    static var keyInspect: String { tr("look at it") }
    static var keyCopyCommand: String { tr("copy command") }
}

/// The texts of the problem screen.
enum ProblemWords {
    static var title: String { tr("Problem") }
    static func didNotWork(_ what: String) -> String { tr("{1}: that did not work", what) }
    static var what: String { tr("What happened") }
    static var why: String { tr("What kind of trouble") }
    static var next: String { tr("What to do") }
    static var keyCopy: String { tr("copy details") }
    static var helpCopy: String { tr("put what is said here on the clipboard; there is no secret in it") }
    static var keyRetry: String { tr("try again") }
    static var noRetry: String { tr("trying again cannot help here") }
    static var pressRetry: String { tr("Press r to try again, or Esc to go back.") }
    static var pressBack: String { tr("Press Esc to go back.") }
    static var unchanged: String { tr("Whatever sessions you had are as they were.") }

    static func kind(_ kind: AuthFailure.Kind) -> String {
        switch kind {
        case .bug: tr("An error in this program, or something nobody foresaw.")
        case .configuration: tr("The configuration, the store or this machine needs to be put right first.")
        case .cancelled: tr("It was cancelled.")
        case .timedOut: tr("Nobody answered in time.")
        case .denied(let code): code.map { tr("The provider said no ({1}).", $0) } ?? tr("The provider said no.")
        case .signInAgain: tr("The grant is gone. Only a new sign-in helps.")
        case .unavailable(let wait):
            wait.map { tr("Network or server trouble. The server asks to wait {1}.", Words.span($0)) }
                ?? tr("Network or server trouble; it may pass.")
        case .security: tr("Something was not exactly right, and going on could harm you. So it was refused.")
        case .notSignedIn: tr("There is no such session.")
        case .alreadySignedIn: tr("There is such a session already.")
        case .usage: tr("It was asked for in a way that is not understood.")
        case .notNeeded, .accountRequested: tr("There is no trouble at all.")
        }
    }
}

/// The texts of the unlock screen.
enum UnlockWords {
    static var title: String { tr("Unlock") }
    static var newTitle: String { tr("Choose a passphrase") }
    static var help: String {
        tr("Your sessions are sealed. The passphrase opens them; it stays in this program's memory only as long as you type it.")
    }
    static var newHelp: String {
        tr("Your sessions will be sealed with it. It cannot be recovered: whoever forgets it signs in again everywhere.")
    }
    static var passphrase: String { tr("Passphrase") }
    static var again: String { tr("Once more") }
    static var opening: String { tr("Opening the store. That takes a moment on purpose.") }
    static var different: String { tr("the two are not the same; type both again") }
    static var empty: String { tr("there is nothing in the field yet") }
    static var isOpening: String { tr("the store is being opened already") }
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
            (tr("click"), tr("marks a row or a field; a second one on the same row chooses it")),
            (tr("click on a key"), tr("presses it, in the line at the bottom")), (tr("wheel"), tr("moves or scrolls")),
            (tr("drag with Shift"), tr("marks text for copying, as in any other program")),
        ]
    }
    static var title: String { tr("Help") }
    static func keysOf(_ subject: String) -> String { tr("Keys here: {1}", subject) }
    static var everywhere: String { tr("Keys everywhere") }
    static var states: String { tr("What the states mean") }
    /// Returns the reason without the advice after its colon, which is shown when the key is pressed.
    static func notNow(_ reason: String) -> String { tr("not now: {1}", reason.split(separator: ": ", maxSplits: 1).first ?? "") }
}
