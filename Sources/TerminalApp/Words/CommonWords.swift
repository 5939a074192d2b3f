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

    static var helpDown: String { tr("one line down") }
    static var helpUp: String { tr("one line up") }
    static var helpPageDown: String { tr("one page down") }
    static var helpPageUp: String { tr("one page up") }
    static var helpFirst: String { tr("to the first line") }
    static var helpLast: String { tr("to the last line") }
    static var helpHelp: String { tr("show the keys of this screen") }
    static var helpTheme: String { tr("take the next theme, and keep it for the next start") }
    static var helpLock: String { tr("wipe the keys from memory, or unlock the store again") }
    static var helpQuit: String { tr("leave; a sign-in that is under way is cancelled") }
    static var helpSuspend: String { tr("stop the program; fg brings it back") }
    static var helpBack: String { tr("leave this screen") }
    static var helpInterrupt: String { tr("cancel a sign-in that is under way, else leave") }

    static var firstScreen: String { tr("this is the first screen: q leaves the program") }
    static func warning(_ text: String, more: Int) -> String { tr("{1} (and {2} more: yett doctor)", text, more) }
    static var copied: String { tr("copied") }
    static var noClipboard: String { tr("no clipboard can be reached from here: mark the text with the mouse instead") }
    static func theme(_ name: String) -> String { tr("theme {1}", name) }
    static func themeNotKept(_ reason: String) -> String { tr("the theme is not kept: {1}", told(reason)) }
    static var oneTheme: String { tr("there is one theme only") }
    static var serviceGone: String { tr("the keeper has gone: what is shown here does not change by itself any more") }
}
