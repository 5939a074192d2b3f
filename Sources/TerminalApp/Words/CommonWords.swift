import AuthModel
import Localization

/// The texts of the global keys.
enum CommonWords {
    static var keyMove: String { tr("move") }
    static var keyScroll: String { tr("scroll") }
    static var keyBack: String { tr("back") }
    static var keyDone: String { tr("done") }
    static var keyHelp: String { tr("help") }
    static var keyQuit: String { tr("quit") }
    static var keyTheme: String { tr("theme") }
    static var keyLock: String { tr("lock") }
    static var keySuspend: String { tr("suspend") }
    static var keyUnlock: String { tr("unlock") }
    static var no: String { tr("no, go back") }
    static func question(_ title: String) -> String { tr("{1}?", title) }

    static var helpDown: String { tr("one line down") }
    static var helpUp: String { tr("one line up") }
    static var helpPageDown: String { tr("one page down") }
    static var helpPageUp: String { tr("one page up") }
    static var helpFirst: String { tr("go to the first line") }
    static var helpLast: String { tr("go to the last line") }
    static var helpHelp: String { tr("show the keys of this screen") }
    static var helpTheme: String { tr("switch to the next theme and save it") }
    static var helpLock: String { tr("lock the store (wipe its keys from memory), or unlock it") }
    static var helpQuit: String { tr("quit; a sign-in in progress is cancelled") }
    static var helpSuspend: String { tr("suspend the program; fg resumes it") }
    static var helpBack: String { tr("go back") }
    static var helpInterrupt: String { tr("cancel a sign-in in progress, or quit") }

    static var firstScreen: String { tr("press q to quit") }
    static func warning(_ text: String, more: Int) -> String { tr("{1} (and {2} more: yett doctor)", text, more) }
    static var copied: String { tr("copied") }
    static var noClipboard: String { tr("no clipboard is available: select the text with the mouse") }
    static func theme(_ name: String) -> String { tr("theme {1}", name) }
    static func themeNotKept(_ reason: UserMessage) -> String { tr("could not save the theme: {1}", reason.text()) }
    static var oneTheme: String { tr("there is only one theme") }
    static var serviceGone: String { tr("lost connection to the session service: this screen no longer updates") }
}
