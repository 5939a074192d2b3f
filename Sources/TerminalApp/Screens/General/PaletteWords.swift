import Localization

/// The texts of the command palette.
package enum PaletteWords {
    package static var title: String { tr("Find") }
    package static func open(_ session: String) -> String { tr("open {1}", session) }
    package static func renew(_ session: String) -> String { tr("renew {1}", session) }
    package static func switchTheme(_ name: String) -> String { tr("use the theme {1}", name) }

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

    /// Returns what an action does and to what, in a few words: in the palette, the action stands far from the thing that the footer's one
    /// or two words are about.
    ///
    /// - Parameters:
    ///   - action: the name of the action in the configuration.
    ///   - label: the words of the footer.
    package static func name(of action: String, label: String) -> String {
        switch action {
        case "open" where label == SessionListWords.keyOpen, "open-details": tr("open the session")
        case "next-urgent": tr("see what needs action")
        case "inspect" where label == InspectorWords.key: tr("inspect the tokens")
        case "renew": tr("renew the session")
        case "forget": tr("forget the session")
        case "roles": tr("choose a role")
        case "reveal": label == SessionWords.keyMask ? tr("mask the token") : tr("reveal the token")
        case "begin-filter": tr("filter the list")
        case "sort": tr("sort the list")
        case "group": tr("group the list")
        case "focus-pane": tr("scroll the details")
        case "leave-pane": tr("return to the list")
        case "activity": tr("go to the activity")
        case "timeline": tr("go to the timeline")
        default: nameOfGeneral(action, label)
        }
    }

    /// Returns the same for the actions that are not about sessions.
    private static func nameOfGeneral(_ action: String, _ label: String) -> String {
        switch action {
        case "reload": tr("reload what is shown")
        case "switch-view" where label == tr("by program"): tr("show it by program")
        case "switch-view" where label == tr("by time"): tr("show it by time")
        case "block" where label == tr("block"): tr("block the program")
        case "block" where label == tr("allow"): tr("allow the program")
        case "demo": tr("start the demo")
        case "request-device-code": tr("get a device code")
        case "address": tr("show the whole URL")
        case "change" where label == tr("change"): tr("change the setting")
        case "reset": tr("reset the setting")
        case "switcher": tr("switch account")
        case "theme": tr("choose a theme")
        case "settings": tr("change the settings")
        case "undo": tr("undo forgetting")
        case "lock": label == CommonWords.keyUnlock ? tr("unlock the store") : tr("lock the store")
        case "back" where label == CommonWords.keyBack: tr("go back")
        case "suspend": tr("suspend the program")
        case "help": tr("show the keys")
        default: label
        }
    }

    /// Returns the explanation of an action without the words that its name has already.
    package static func explanation(_ help: String, after name: String) -> String {
        if help.hasSuffix(name) || name.hasSuffix(" " + help) { return "" }
        let rest = help.dropFirst(name.count)
        guard help.hasPrefix(name), rest.first?.isLetter != true else { return help }
        return String(rest.drop { ",; ".contains($0) })
    }
}
