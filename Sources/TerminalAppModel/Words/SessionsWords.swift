import AuthModel
import Localization

/// The texts of the list of sessions.
package enum SessionsWords {
    package static var title: String { tr("Sessions") }
    package static var state: String { tr("State") }
    package static var session: String { tr("Session") }
    package static var timeLeft: String { tr("Time left") }
    package static var left: String { tr("Left") }
    /// The labels of the bars' scale, as short as possible.
    package static var oneMinute: String { tr("1m") }
    package static var oneHour: String { tr("1h") }
    package static var oneDay: String { tr("1d") }
    package static var renews: String { tr("Renews") }
    package static var lastUsed: String { tr("Last used") }
    /// The title of the column with the uses in the last 24 hours.
    package static var lastDay: String { tr("24 h") }
    package static var scopes: String { tr("Scopes") }

    package static func signedIn(_ count: Int) -> String { tr("{1} signed in", count) }
    package static func expiring(_ count: Int) -> String { tr("{1} expiring", count) }
    package static func sorted(_ title: String) -> String { tr("{1} (sorted)", title) }
    package static func expired(_ count: Int) -> String { plural(count, "{1} renews on use", "{1} renew on use") }
    package static func attention(_ count: Int) -> String { plural(count, "{1} needs action", "{1} need action") }
    package static func guests(_ count: Int) -> String { plural(count, "{1} guest", "{1} guests") }
    package static func others(_ count: Int) -> String { plural(count, "{1} other", "{1} others") }
    package static func found(_ count: Int, of all: Int) -> String { tr("{1} of {2}", count, all) }
    package static var filter: String { tr("Filter") }
    package static func noMatches(_ filter: String) -> String { tr("No session matches \"{1}\". Press Esc to show all.", filter) }

    package static var nothingMarked: String { tr("no session is selected") }
    package static var noEnd: String { tr("no expiry") }
    package static var noEndInShort: String { tr("no end") }
    package static var ended: String { tr("ended") }
    package static var none: String { tr("none") }
    package static var neverRenews: String { tr("no") }
    package static var never: String { tr("never") }
    package static var due: String { tr("due") }
    package static var onDemand: String { tr("on demand") }

    package static var keySort: String { tr("sort") }
    package static var helpSort: String { tr("sort by name, time left, urgency or last use") }
    package static func sorted(_ order: SessionOrder) -> String {
        switch order {
        case .name: tr("sorted by name")
        case .timeLeft: tr("sorted by time left: soonest expiry first")
        case .attention: tr("sorted by urgency: sessions that need action first")
        case .lastUsed: tr("sorted by last use: most recent first")
        }
    }
    package static var keyGroup: String { tr("group") }
    package static var helpGroup: String { tr("group the sessions by provider, or ungroup them") }
    package static var grouped: String { tr("grouped by provider") }
    package static var ungrouped: String { tr("not grouped") }
    package static var keyOpen: String { tr("open") }
    package static var keyEndFilter: String { tr("apply filter") }
    package static var keyActivity: String { tr("activity") }
    package static var helpOpen: String { tr("show all details of the session") }
    package static var helpSignIn: String { tr("sign in with this account or at another provider") }
    package static var helpActivity: String { tr("what happened, and who used a token") }
}
