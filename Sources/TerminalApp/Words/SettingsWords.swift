import AuthModel

/// The texts of the settings.
enum SettingsWords {
    static var title: String { tr("Settings") }
    static var key: String { tr("settings") }
    static var help: String { tr("look at the settings, and change them") }
    static var keyChange: String { tr("change") }
    static var keyReset: String { tr("usual") }
    static var keyKeep: String { tr("keep") }
    static var keyLeave: String { tr("leave as it was") }
    static var helpChange: String { tr("change the marked setting") }
    static var helpReset: String { tr("take it out of the configuration, so that the usual holds") }

    static var isSaving: String { tr("the change before is still being written") }
    static var nothingHere: String { tr("there is nothing to settle here") }
    static var isDefault: String { tr("the usual holds already") }
    static var cannotChange: String { tr("settings cannot be changed from here") }
    static var saveTitle: String { tr("Write the setting") }
    static func isKept(_ id: Setting.ID) -> String { tr("written: {1}", name(id)) }
    static func writtenTo(_ file: String) -> String {
        tr("Written to {1}. What is not here is set there by hand: yett help configuration.", file)
    }
    static var noSpan: String { tr("write it as 90 s, 15 min, 2 h or 7 d; empty for never") }

    static var on: String { tr("on") }
    static var off: String { tr("off") }
    static var never: String { tr("never") }
    static var usual: String { tr("(usual)") }
    static var defaultBrowser: String { tr("as BROWSER or the desktop says") }

    static func section(_ id: Setting.ID) -> String {
        switch id {
        case .theme, .language, .guestPrompt, .mouse: tr("Appearance")
        case .seal: tr("Store")
        case .lockAfter, .idleExit, .notify: tr("Agent")
        case .browser(let provider), .isPrivate(let provider), .policy(let provider): provider.text
        }
    }

    static func name(_ id: Setting.ID) -> String {
        switch id {
        case .theme: tr("Theme")
        case .language: tr("Language")
        case .guestPrompt: tr("Guests' prompt")
        case .mouse: tr("Mouse")
        case .seal: tr("Seal")
        case .lockAfter: tr("Lock after")
        case .idleExit: tr("End when idle for")
        case .notify: tr("Desktop notices")
        case .browser: tr("Browser")
        case .isPrivate: tr("Private window")
        case .policy: tr("Tokens go to")
        }
    }

    static func meaning(_ id: Setting.ID) -> String {
        switch id {
        case .theme:
            tr("What the app looks like. The list shows each theme while it is marked. Your own go into the folder themes beside the file.")
        case .language: tr("What the app speaks.")
        case .guestPrompt: tr("Whether those who are guests somewhere are asked to sign in.")
        case .mouse: tr("Whether presses and the wheel are for the app. Text is marked with Shift held, or with this off.")
        case .seal: tr("Where the key of the store is kept. It counts for a store that is made anew.")
        case .lockAfter:
            tr("How long without a request that needs the keys, until the agent puts them away. The agent takes it when it starts next.")
        case .idleExit:
            tr("How long without a request, a sign-in or anybody who watches, until the agent ends. It takes it when it starts next.")
        case .notify: tr("Whether the desktop says it when a session cannot be renewed. The agent takes it when it starts next.")
        case .browser:
            tr("The command that opens this provider's pages. It gets the address as its last word, and is never run by a shell.")
        case .isPrivate: tr("Whether this provider's pages are opened in a private window.")
        case .policy: tr("Which programs get the tokens of this provider's sessions.")
        }
    }

    /// Returns a setting's value for display.
    static func value(_ setting: Setting) -> String {
        switch setting.value {
        case .flag(let isOn): isOn ? on : off
        case .word(let word): option(word, of: setting.id)
        case .text(let text): text.isEmpty ? defaultBrowser : text
        case .span(let seconds): seconds.map(SpanText.written) ?? never
        }
    }

    /// Returns an option for display.
    static func option(_ word: String, of id: Setting.ID) -> String {
        switch id {
        case .language: Language(rawValue: word)?.ownName ?? tr("as the environment says")
        case .policy: TokenPolicy(rawValue: word).map(policy) ?? word
        default: word
        }
    }

    private static func policy(_ policy: TokenPolicy) -> String {
        switch policy {
        case .allow: tr("every program of yours")
        case .ask: tr("whom you say yes to")
        case .deny: tr("nobody")
        }
    }

    /// Returns the meaning of an option; empty if the option is self-explanatory.
    static func optionMeaning(_ word: String, of id: Setting.ID) -> String {
        switch id {
        case .seal: seal(word)
        case .policy where word == TokenPolicy.ask.rawValue: tr("you are asked here each time")
        default: ""
        }
    }

    private static func seal(_ word: String) -> String {
        switch word {
        case "auto": tr("the login keyring where there is one that is open, else a key file")
        case "passphrase": tr("you are asked for it")
        case "secret-service": tr("in your login keyring")
        case "key-file": tr("in a file beside the store: whoever reads your files has both")
        case "memory": tr("nothing is kept")
        default: ""
        }
    }
}
