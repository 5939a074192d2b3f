import Localization

/// The texts of the details beside the list of sessions.
package enum SessionPaneWords {
    package static var overview: String { tr("Overview") }
    package static var tokens: String { tr("Tokens") }
    package static var activity: String { tr("Activity") }
    package static var use: String { tr("Use") }

    package static var keyDetails: String { tr("details") }
    package static var helpDetails: String { tr("scroll the details of the session; Tab or Esc returns to the list") }
    package static var keyList: String { tr("list") }
    package static func helpTab(_ title: String) -> String { tr("show this part of the details: {1}", title) }
    package static var needsLargerTerminal: String { tr("the terminal is too small for the details; Enter opens the session") }

    package static var noActivity: String { tr("Nothing has happened since the activity log began.") }
    package static var programs: String { tr("Programs") }
    package static var lastDay: String { tr("last 24 h") }
    /// The title of the panel with the uses of all sessions.
    package static var allUses: String { tr("Tokens issued, last 24 h") }
    package static var noUses: String { tr("No tokens were issued in the last 24 hours.") }
    package static func programs(_ count: Int) -> String { plural(count, "{1} program", "{1} programs") }
    package static func uses(_ count: Int) -> String { plural(count, "{1} token issued", "{1} tokens issued") }
}
