import AuthModel

/// Every word of the list of sessions.
enum SessionsWords {
    static let title = "Sessions"
    static let state = "State"
    static let session = "Session"
    static let timeLeft = "Time left"
    static let left = "Left"
    static let renews = "Renews"
    static let lastTaken = "Last taken"
    static let scopes = "Scopes"

    static func signedIn(_ count: Int) -> String { "\(count) signed in" }
    static func expiring(_ count: Int) -> String { "\(count) expiring" }
    static func expired(_ count: Int) -> String { "\(count) expired" }
    static func attention(_ count: Int) -> String { count == 1 ? "1 needs you" : "\(count) need you" }
    static func guests(_ count: Int) -> String { Words.count(count, "guest", "guests") }
    static func others(_ count: Int) -> String { Words.count(count, "other", "others") }
    static func found(_ count: Int, of all: Int) -> String { "\(count) of \(all)" }
    static let filter = "Filter"
    static func nothingFits(_ filter: String) -> String { "No session fits \"\(filter)\". Esc shows them all again." }

    static let nothingMarked = "no session is marked"
    static let noEnd = "no end told"
    static let noEndInShort = "no end"
    static let ended = "ended"
    static let none = "none"
    static let neverRenews = "no"
    static let never = "never"
    static let due = "due"
    static let onDemand = "on demand"

    static let keyOpen = "open"
    static let keyEndFilter = "keep the filter"
    static let keyActivity = "activity"
    static let helpOpen = "show everything about the session"
    static let helpSignIn = "sign in, as this account or at another provider"
    static let helpActivity = "what happened, and who took a token"
}

/// Every word of the picker.
enum PickerWords {
    static let signInTitle = "Where do you want to sign in?"
    static let signUpTitle = "Where do you want an account?"
    static let anybody = "not signed in"
    static let somebodyElse = "as somebody else"
    static func account(_ label: String) -> String { "as \(label)" }
    static let newAccount = "a new account"
    static func found(_ count: Int) -> String { Words.count(count, "way", "ways") }
    static let nothingFits = "nothing fits what was typed"
    static let addProvider = "Not here? Add it: yett providers add URL --client-id ID"
    static let filter = "Filter"
    static let typeToFilter = "type to filter"

    static func key(_ purpose: SignInRequest.Purpose) -> String { purpose == .signIn ? "sign in" : "sign up" }
    static let keyClear = "show all"
    static let keyFilter = "filter"
    static let helpFilter = "show only what contains the words typed"
}

/// Every word of the activity list.
enum ActivityWords {
    static let title = "Activity"
    static let nothingYet = "nothing has happened yet"
    static let empty = "Nothing has happened yet."
    static let noSession = "there is no session to open for this line"
    static let keyOpen = "open session"
    static let time = "Time"
    static let what = "What"
    static let session = "Session"
    static let text = "Details"
}
