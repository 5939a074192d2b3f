import Localization

/// The texts of the command palette.
package enum PaletteWords {
    package static var title: String { tr("Find") }
    package static var key: String { tr("find") }
    package static var help: String { tr("find an action, a session or a provider") }
    package static var placeholder: String { tr("type what you want to do") }
    package static func open(_ session: String) -> String { tr("open {1}", session) }
    package static func inspect(_ session: String) -> String { tr("inspect the tokens of {1}", session) }
    package static func renew(_ session: String) -> String { tr("renew {1}", session) }
    package static func copyToken(_ session: String) -> String { tr("copy a token of {1}", session) }
    package static func signIn(_ session: String) -> String { tr("sign in again to {1}", session) }
    package static func signOut(_ session: String) -> String { tr("sign out of {1}", session) }
    package static func forget(_ session: String) -> String { tr("forget {1}", session) }
    package static func switchTheme(_ name: String) -> String { tr("switch theme: {1}", name) }
    package static var keyRun: String { tr("run") }
    /// Returns other words for an action, by which it can be found too.
    package static func synonyms(of title: String) -> [String] {
        synonyms.filter { title.contains($0.action) }.map(\.words)
    }

    private static var synonyms: [(action: String, words: String)] {
        [
            (SessionWords.keySignOut, tr("logout log out sign off")), (CommonWords.keyQuit, tr("exit close leave")),
            (CommonWords.keyTheme, tr("dark light colors colours")), (SessionWords.keyRenew, tr("refresh extend")),
            (SettingsWords.key, tr("preferences options configuration")), (TimelineWords.key, tr("expires expiry schedule")),
            (CommonWords.keyLock, tr("passphrase seal secure")),
        ]
    }

    package static func found(_ count: Int) -> String { plural(count, "{1} command", "{1} commands") }
}
