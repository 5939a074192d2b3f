package import AuthModel
import Localization

/// The texts of the global keys.
package enum CommonWords {
    package static var keyMove: String { tr("move") }
    package static var keyScroll: String { tr("scroll") }
    package static var keyBack: String { tr("back") }
    package static var keyDone: String { tr("done") }
    package static var keyHelp: String { tr("help") }
    package static var keyQuit: String { tr("quit") }
    package static var keyTheme: String { tr("theme") }
    package static var keyLock: String { tr("lock") }
    package static var keySuspend: String { tr("suspend") }
    package static var keyUnlock: String { tr("unlock") }
    package static var no: String { tr("no, go back") }
    package static func question(_ title: String) -> String { tr("{1}?", title) }

    package static var helpDown: String { tr("one line down") }
    package static var helpUp: String { tr("one line up") }
    package static var helpPageDown: String { tr("one page down") }
    package static var helpPageUp: String { tr("one page up") }
    package static var helpFirst: String { tr("go to the first line") }
    package static var helpLast: String { tr("go to the last line") }
    package static var helpHelp: String { tr("show the keys of this screen") }
    package static var helpTheme: String { tr("switch to the next theme and save it") }
    package static var helpLock: String { tr("lock the store (wipe its keys from memory), or unlock it") }
    package static var helpQuit: String { tr("quit; a sign-in in progress is cancelled") }
    package static var helpSuspend: String { tr("suspend the program; fg resumes it") }
    package static var helpBack: String { tr("go back") }
    package static var helpInterrupt: String { tr("cancel a sign-in in progress, or quit") }

    package static var firstScreen: String { tr("press q to quit") }
    package static func warning(_ text: String, more: Int) -> String { tr("{1} (and {2} more: yett doctor)", text, more) }
    package static var copied: String { tr("copied") }
    package static var noClipboard: String { tr("no clipboard is available: select the text with the mouse") }
    package static func theme(_ name: String) -> String { tr("theme {1}", name) }
    package static func themeNotKept(_ reason: UserMessage) -> String { tr("could not save the theme: {1}", reason.text()) }
    package static var oneTheme: String { tr("there is only one theme") }
    package static var serviceGone: String { tr("lost connection to the session service: this screen no longer updates") }
}
