import AuthModel

/// Every word of the command palette.
enum PaletteWords {
    static var title: String { tr("Find") }
    static var key: String { tr("find") }
    static var help: String { tr("find an action, a session or a provider by typing") }
    static var placeholder: String { tr("type what you want to do") }
    static func open(_ session: SessionName) -> String { tr("open {1}", session) }
    static var keyRun: String { tr("do it") }
    static func found(_ count: Int) -> String { plural(count, "{1} thing", "{1} things") }
}
