import Localization

/// The texts of the details beside the list of sessions.
package enum SessionPaneWords {
    package static var overview: String { tr("Overview") }
    package static var tokens: String { tr("Tokens") }
    package static var activity: String { tr("Activity") }
    package static var use: String { tr("Use") }

    package static var keyDetails: String { tr("details") }
    package static var helpDetails: String { tr("scroll the details beside the list; Tab or Esc returns to the list") }
    package static var keyList: String { tr("list") }
    package static func helpTab(_ title: String) -> String { tr("show this part of the details: {1}", title) }
    package static var needsWideTerminal: String { tr("the details need 100 columns beside the list; Enter opens the session") }

    package static var noActivity: String { tr("Nothing has happened since the activity log began.") }
    package static var programs: String { tr("Programs") }
    package static var lastDay: String { tr("last 24 h") }
    package static func uses(_ count: Int) -> String { plural(count, "{1} token issued", "{1} tokens issued") }
}
