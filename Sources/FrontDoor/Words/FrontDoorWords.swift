import AuthModel

/// Every word of the front door.
enum FrontDoorWords {
    static let title = "Front door"
    static let greeting = (first: "Sign in once, in your own browser.", second: "Your tools get their tokens here.")
    static let loadTitle = "Read providers and sessions"
    static let loading = "Asking the keeper."

    static let nothingConfigured = "No provider is configured yet."
    static let ways: [(command: String, meaning: String)] = [
        ("yett providers add URL", "add the service that you sign in to"),
        ("yett demo", "try everything offline, with a provider of its own"),
    ]
    static let thenReload = "Leave with q, run one of them, and come back. If you did it elsewhere, r looks again."

    static func entry(_ entry: FrontDoorScreen.Entry) -> String {
        switch (entry.purpose, entry.account) {
        case (.signIn, let account?): "Sign in as \(account)"
        case (.signIn, nil): entry.provider.accounts.isEmpty ? "Sign in" : "Sign in as somebody else"
        case (.signUp, _): "Sign up"
        }
    }

    static func guest(_ name: SessionName) -> String { "You are a guest at \(name.provider). Press s to sign in and keep what you have." }

    static let stillLoading = "the providers are still being read"
    static let nothingToChoose = "no provider is configured: run yett providers add URL, or yett demo"
    static let noSignUp = "no provider here offers to make an account"

    static let keyChoose = "choose"
    static let keySignIn = "sign in"
    static let keySignUp = "sign up"
    static let keyReload = "look again"
    static let helpChoose = "begin with the marked line"
    static let helpSignIn = "choose where to sign in"
    static let helpSignUp = "choose where to make an account"
    static let helpReload = "read the providers and sessions again"
}

/// The words of locking, which every screen may need.
enum LockWords {
    static let locked = "the store is locked: press L to unlock it"
    static let lockedSignOut = "the store is locked: press L to unlock it, so that the tokens can be revoked"
    static let isLocked = "locked"
    static let wasLocked = "locked; the keys are wiped from memory"
    static let wasUnlocked = "unlocked"
}
