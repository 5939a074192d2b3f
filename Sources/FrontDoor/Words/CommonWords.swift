/// The words of keys that mean the same everywhere.
enum CommonWords {
    static let keyMove = "move"
    static let keyScroll = "scroll"
    static let keyBack = "back"
    static let keyDone = "done"
    static let keyHelp = "help"
    static let keyQuit = "quit"
    static let keyTheme = "theme"
    static let keyLock = "lock"
    static let keySuspend = "suspend"
    static let keyUnlock = "unlock"
    static let no = "no, go back"

    static let helpDown = "one line down"
    static let helpUp = "one line up"
    static let helpPageDown = "one page down"
    static let helpPageUp = "one page up"
    static let helpFirst = "to the first line"
    static let helpLast = "to the last line"
    static let helpHelp = "show the keys of this screen"
    static let helpTheme = "take the next theme, and keep it for the next start"
    static let helpLock = "wipe the keys from memory, or unlock the store again"
    static let helpQuit = "leave; a sign-in that is under way is cancelled"
    static let helpSuspend = "stop the program; fg brings it back"
    static let helpBack = "leave this screen"
    static let helpInterrupt = "cancel a sign-in that is under way, else leave"

    static let firstScreen = "this is the first screen: q leaves the program"
    static func warning(_ text: String, more: Int) -> String { "\(text) (and \(more) more: yett doctor)" }
    static let copied = "copied"
    static let noClipboard = "no clipboard can be reached from here: mark the text with the mouse instead"
    static func theme(_ name: String) -> String { "theme \(name)" }
    static func themeNotKept(_ reason: String) -> String { "the theme is not kept: \(reason)" }
    static let oneTheme = "there is one theme only"
    static let keeperGone = "the keeper has gone: what is shown here does not change by itself any more"
}
