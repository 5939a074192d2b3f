import AuthModel
import Localization

/// The texts of the list of sessions.
enum SessionsWords {
    static var title: String { tr("Sessions") }
    static var state: String { tr("State") }
    static var session: String { tr("Session") }
    static var timeLeft: String { tr("Time left") }
    static var left: String { tr("Left") }
    static var renews: String { tr("Renews") }
    static var lastUsed: String { tr("Last used") }
    static var scopes: String { tr("Scopes") }

    static func signedIn(_ count: Int) -> String { tr("{1} signed in", count) }
    static func expiring(_ count: Int) -> String { tr("{1} expiring", count) }
    static func expired(_ count: Int) -> String { tr("{1} expired", count) }
    static func attention(_ count: Int) -> String { plural(count, "{1} needs action", "{1} need action") }
    static func guests(_ count: Int) -> String { plural(count, "{1} guest", "{1} guests") }
    static func others(_ count: Int) -> String { plural(count, "{1} other", "{1} others") }
    static func found(_ count: Int, of all: Int) -> String { tr("{1} of {2}", count, all) }
    static var filter: String { tr("Filter") }
    static func noMatches(_ filter: String) -> String { tr("No session matches \"{1}\". Press Esc to show all.", filter) }

    static var nothingMarked: String { tr("no session is selected") }
    static var noEnd: String { tr("no expiry") }
    static var noEndInShort: String { tr("no end") }
    static var ended: String { tr("ended") }
    static var none: String { tr("none") }
    static var neverRenews: String { tr("no") }
    static var never: String { tr("never") }
    static var due: String { tr("due") }
    static var onDemand: String { tr("on demand") }

    static var keySort: String { tr("sort") }
    static var helpSort: String { tr("sort by name, time left, urgency or last use") }
    static func sorted(_ order: SessionOrder) -> String {
        switch order {
        case .name: tr("sorted by name")
        case .timeLeft: tr("sorted by time left: soonest expiry first")
        case .attention: tr("sorted by urgency: sessions that need action first")
        case .lastUsed: tr("sorted by last use: most recent first")
        }
    }
    static var keyGroup: String { tr("group") }
    static var helpGroup: String { tr("group the sessions by provider, or ungroup them") }
    static var grouped: String { tr("grouped by provider") }
    static var ungrouped: String { tr("not grouped") }
    static var keyOpen: String { tr("open") }
    static var keyEndFilter: String { tr("apply filter") }
    static var keyActivity: String { tr("activity") }
    static var helpOpen: String { tr("show all details of the session") }
    static var helpSignIn: String { tr("sign in with this account or at another provider") }
    static var helpActivity: String { tr("what happened, and who used a token") }
}

/// The texts of the picker.
enum PickerWords {
    static var signInTitle: String { tr("Where do you want to sign in?") }
    static var signUpTitle: String { tr("Where do you want to sign up?") }
    static var anybody: String { tr("not signed in") }
    static var anotherAccount: String { tr("as another user") }
    static func account(_ label: String) -> String { tr("as {1}", label) }
    static var newAccount: String { tr("a new account") }
    static func found(_ count: Int) -> String { plural(count, "{1} option", "{1} options") }
    static var noMatches: String { tr("no matches") }
    static var filter: String { tr("Filter") }
    static var typeToFilter: String { tr("type to filter") }

    static func key(_ purpose: SignInRequest.Purpose) -> String { purpose == .signIn ? tr("sign in") : tr("sign up") }
    static var keyClear: String { tr("show all") }
    static var keyFilter: String { tr("filter") }
    static var helpFilter: String { tr("show only lines that contain the typed words") }
}

/// The texts of the activity list.
enum ActivityWords {
    static var title: String { tr("Activity") }
    static var nothingYet: String { tr("no activity yet") }
    static var empty: String { tr("No activity yet.") }
    static func noMatches(_ filter: String) -> String { tr("No activity matches \"{1}\". Press Esc to show all.", filter) }
    static var noSession: String { tr("this entry has no session to open") }
    static var keyOpen: String { tr("open session") }
    static var time: String { tr("Time") }
    static var what: String { tr("Event") }
    static var session: String { tr("Session") }
    static var text: String { tr("Details") }
}
