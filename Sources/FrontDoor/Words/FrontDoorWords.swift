import AuthModel

/// Every word of the front door.
enum FrontDoorWords {
    static let title = "Front door"
    static let greeting = (first: "Sign in once, in your own browser.", second: "Your tools get their tokens here.")
    static let loadTitle = "Read providers and sessions"
    static let loading = "Asking the keeper."

    static let nothingConfigured = "No provider is configured yet. There are two ways to begin:"
    static let ways: [(command: String, meaning: String)] = [
        ("yett demo", "Try everything in a minute, offline, with a provider of its own. Nothing of it is kept."),
        ("yett providers add URL --client-id ID", "Add your own service: its address, and the client that is registered for you there."),
    ]
    static let thenComeBack = "Leave with q, run one of them, and come back."

    static func entry(_ entry: FrontDoorScreen.Entry) -> String {
        switch (entry.purpose, entry.account) {
        case (.signIn, let account?): "Sign in as \(account)"
        case (.signIn, nil): entry.provider.accounts.isEmpty ? "Sign in" : "Sign in as somebody else"
        case (.signUp, _): "Sign up"
        }
    }

    static func guest(_ name: SessionName) -> String { "You are a guest at \(name.provider). Press s to sign in and keep what you have." }

    static let stillLoading = "the providers are still being read"
    static let nothingToChoose = "no provider is configured: run yett demo, or yett providers add URL --client-id ID"
    static let noSignUp = "no provider here offers to make an account"

    static let keyChoose = "choose"
    static let keySignIn = "sign in"
    static let keySignUp = "sign up"
    static let keyReload = "look again"
    static let helpChoose = "begin with the marked line"
    static let helpSignIn = "choose where to sign in"
    static let helpSignUp = "choose where to make an account"
    static let helpReload = "read the sessions again"
    static let readAtTheStart = "the providers are read at the start: leave with q, add one, and come back"
}

/// The words of locking, which every screen may need.
enum LockWords {
    static let locked = "the store is locked: press L to unlock it"
    static let lockedSignOut = "the store is locked: press L to unlock it, so that the tokens can be revoked"
    static let isLocked = "locked"
    static let wasLocked = "locked; the keys are wiped from memory"
    static let wasUnlocked = "unlocked"
}
