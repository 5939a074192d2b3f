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
    package static var keyRun: String { tr("run") }
    package static func found(_ count: Int) -> String { plural(count, "{1} command", "{1} commands") }
}
