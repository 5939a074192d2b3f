import Localization

/// The texts of the unlock screen.
package enum UnlockWords {
    package static var title: String { tr("Unlock") }
    package static var newTitle: String { tr("Choose a passphrase") }
    package static var help: String {
        tr("Your sessions are sealed. Enter the passphrase to unlock them. It stays in memory only while you type it.")
    }
    package static var newHelp: String {
        tr("It encrypts your sessions and cannot be recovered. If you forget it, sign in everywhere again.")
    }
    package static var passphrase: String { tr("Passphrase") }
    package static var again: String { tr("Repeat") }
    package static var opening: String { tr("Opening the store. This takes a moment by design.") }
    package static var different: String { tr("the passphrases do not match: type both again") }
    package static var empty: String { tr("the field is empty") }
    package static var isOpening: String { tr("the store is already being opened") }
    package static var keyUnlock: String { tr("unlock") }
    package static var keyNext: String { tr("next field") }
    package static var keySeal: String { tr("seal the store") }
    package static var keyLater: String { tr("later") }
}
