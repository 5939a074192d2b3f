package import AuthModel
import Localization

/// The texts of the activity list.
package enum ActivityWords {
    package static var title: String { tr("Activity") }
    package static var nothingYet: String { tr("no activity yet") }
    package static var empty: String { tr("No activity yet.") }
    package static var noPrograms: String { tr("No program has used a token yet. Press p to show all activity.") }
    package static func noMatches(_ filter: String) -> String { tr("No activity matches \"{1}\". Press Esc to show all.", filter) }
    package static var noSession: String { tr("this entry has no session to open") }
    package static var noProgram: String { tr("no program has used a token yet") }
    package static var keyOpen: String { tr("open session") }
    package static var keyShowUse: String { tr("show use") }
    package static var keyByProgram: String { tr("by program") }
    package static var keyByTime: String { tr("by time") }
    package static var helpSwitch: String { tr("switch between the activity by program and by time") }
    package static var keyBlock: String { tr("block") }
    package static var keyAllow: String { tr("allow") }
    package static var helpBlock: String { tr("block a program, so that it gets no token, or allow it again") }
    package static var blocked: String { tr("blocked") }
    package static func isBlocked(_ program: String) -> String { tr("{1} gets no token any more; press b to allow it again", program) }
    package static func isAllowed(_ program: String) -> String { tr("{1} may get tokens again", program) }
    package static var noPathToBlock: String { tr("only a program on this machine can be blocked") }
    package static var blockTitle: String { tr("Block a program") }
    package static var byProgram: String { tr("By program") }
    package static var byTime: String { tr("By time") }
    package static var program: String { tr("Program") }
    package static var lastDay: String { tr("Last 24 hours") }
    package static var tokens: String { tr("Tokens") }
    package static var lastUse: String { tr("Last use") }
    package static var sessions: String { tr("Sessions") }
    package static var time: String { tr("Time") }
    package static var what: String { tr("Event") }
    package static var session: String { tr("Session") }
    package static var text: String { tr("Details") }
    package static var new: String { tr("new") }
    package static func tokens(_ count: Int) -> String { plural(count, "{1} token", "{1} tokens") }
    package static func refused(_ count: Int) -> String { plural(count, "{1} refusal", "{1} refusals") }
    package static func firstUse(_ when: String) -> String { tr("first use {1}", when) }
    package static func between(_ count: Int, _ first: String, _ last: String) -> String {
        tr("{1} times, from {2} to {3}", count, first, last)
    }

    /// Returns who used a token for what, such as `git fetch, git.example.org, by zsh`.
    package static func use(_ use: TokenUse) -> String {
        let program = use.command.map { "\(use.program.name) \($0)" } ?? use.program.name
        return [program, use.destination, use.parent.map { tr("by {1}", $0.name) }].compactMap(\.self).joined(separator: ", ")
    }

    /// Returns the name of an event. A sign-in that the user cancelled did not fail.
    package static func event(_ entry: Activity) -> String { entry.isCancelled ? tr("cancelled") : Words.activity(entry.kind) }
}
