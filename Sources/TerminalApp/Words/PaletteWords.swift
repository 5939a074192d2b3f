import Localization

/// The texts of the command palette.
enum PaletteWords {
    static var title: String { tr("Find") }
    static var key: String { tr("find") }
    static var help: String { tr("find an action, a session or a provider") }
    static var placeholder: String { tr("type what you want to do") }
    static func open(_ session: String) -> String { tr("open {1}", session) }
    static func inspect(_ session: String) -> String { tr("inspect the tokens of {1}", session) }
    static func renew(_ session: String) -> String { tr("renew {1}", session) }
    static func copyToken(_ session: String) -> String { tr("copy a token of {1}", session) }
    static func signIn(_ session: String) -> String { tr("sign in again to {1}", session) }
    static func signOut(_ session: String) -> String { tr("sign out of {1}", session) }
    static func forget(_ session: String) -> String { tr("forget {1}", session) }
    static var keyRun: String { tr("run") }
    static func found(_ count: Int) -> String { plural(count, "{1} command", "{1} commands") }
}
