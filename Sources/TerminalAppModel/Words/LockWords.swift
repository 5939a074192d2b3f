import Localization

/// The texts about the lock, used by every screen.
package enum LockWords {
    package static var locked: String { tr("the store is locked: press L to unlock it") }
    package static var lockedSignOut: String { tr("the store is locked: press L to unlock it, then revoke the tokens") }
    package static var isLocked: String { tr("locked") }
    package static var wasLocked: String { tr("locked; the keys are wiped from memory") }
    package static var wasUnlocked: String { tr("unlocked") }
}
