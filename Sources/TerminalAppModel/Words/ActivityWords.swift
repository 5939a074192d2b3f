import AuthModel
import Localization

/// The texts of the activity list.
package enum ActivityWords {
    package static var title: String { tr("Activity") }
    package static var nothingYet: String { tr("no activity yet") }
    package static var empty: String { tr("No activity yet.") }
    package static func noMatches(_ filter: String) -> String { tr("No activity matches \"{1}\". Press Esc to show all.", filter) }
    package static var noSession: String { tr("this entry has no session to open") }
    package static var keyOpen: String { tr("open session") }
    package static var time: String { tr("Time") }
    package static var what: String { tr("Event") }
    package static var session: String { tr("Session") }
    package static var text: String { tr("Details") }
}
