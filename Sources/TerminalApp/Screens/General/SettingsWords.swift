import AuthModel
import Localization

/// The texts of the settings.
package enum SettingsWords {
    package static var title: String { tr("Settings") }
    package static var key: String { tr("settings") }
    package static var keyKeep: String { tr("save") }
    package static var keyLeave: String { CommonWords.keyCancel }

    package static var isSaving: String { tr("the previous change is still being saved") }
    package static var nothingHere: String { tr("there are no settings here") }
    package static var isDefault: String { tr("this is the default") }
    package static var providers: String { tr("Providers") }
    package static var isProvider: String { tr("select one of the provider's settings: press Enter to list them") }
    package static var cannotChange: String { tr("settings cannot be changed from here") }
    package static func saved(in file: String) -> String {
        tr("Saved in {1}. For more settings, edit it; see yett help configuration.", file)
    }

    package static var on: String { tr("on") }
    package static var off: String { tr("off") }
    package static var never: String { tr("never") }
    package static var defaultBrowser: String { tr("from BROWSER or the desktop") }

    package static func section(_ id: Setting.ID) -> String {
        switch id {
        case .theme, .language, .guestPrompt, .mouse, .motion: tr("Appearance")
        case .seal: tr("Store")
        case .lockAfter, .idleExit, .notify, .blockedProgram: tr("Agent")
        case .browser, .isPrivate, .policy: providers
        }
    }

    package static func name(_ id: Setting.ID) -> String {
        switch id {
        case .theme: tr("Theme")
        case .language: tr("Language")
        case .guestPrompt: tr("Guest prompt")
        case .mouse: tr("Mouse")
        case .motion: tr("Motion")
        case .seal: tr("Seal")
        case .lockAfter: tr("Lock after")
        case .idleExit: tr("Stop when idle for")
        case .notify: tr("Notifications")
        case .blockedProgram(let path): tr("Block {1}", CallingProgram(path: path).name)
        case .browser: tr("Browser")
        case .isPrivate: tr("Private window")
        case .policy: tr("Token access")
        }
    }

    package static func meaning(_ id: Setting.ID) -> String {
        switch id {
        case .theme:
            tr(
                "The app's colours. Select a theme to preview it. Put your own themes in the themes folder next to config.toml."
            )
        case .language: tr("The language of the app.")
        case .guestPrompt: tr("Whether guests are asked to sign in.")
        case .mouse: tr("Whether the app uses clicks and the wheel. To select text, hold Shift, or turn this off.")
        case .motion: tr("How much on the screen moves. Over SSH and without colours, the default is reduced.")
        case .seal: tr("Where the store's key is kept. Applies only to a new store; for yours, run: yett seal")
        case .lockAfter:
            tr("The agent locks the store after this time without a request that needs its keys. Takes effect when the agent next starts.")
        case .idleExit:
            tr(
                "The agent stops after this time without a request, a sign-in or a connected watcher. Takes effect when the agent next starts."
            )
        case .notify:
            tr("Whether to show a desktop notification when a session cannot be renewed. Takes effect when the agent next starts.")
        case .blockedProgram(let path): tr("Whether the agent refuses tokens to {1}.", path)
        case .browser:
            tr("The command that opens this provider's pages. The URL is its last argument; no shell runs it.")
        case .isPrivate: tr("Whether this provider's pages are opened in a private window.")
        case .policy: tr("Which programs can get the tokens of this provider's sessions.")
        }
    }

    /// Returns a setting's value for display.
    package static func value(_ setting: Setting) -> String {
        switch setting.value {
        case .flag(let isOn): isOn ? on : off
        case .word(let word): option(word, of: setting.id)
        case .text(let text): text.isEmpty ? defaultBrowser : text
        case .span(let seconds): seconds.map(SpanText.written) ?? never
        }
    }

    /// Returns an option for display.
    package static func option(_ word: String, of id: Setting.ID) -> String {
        switch id {
        case .language: Language(rawValue: word)?.ownName ?? tr("from the environment")
        case .policy: TokenPolicy(rawValue: word).map(policy) ?? word
        case .motion: Motion(rawValue: word).map(motion) ?? word
        case .seal: seal(word).name
        default: word
        }
    }

    private static func motion(_ motion: Motion) -> String {
        switch motion {
        case .full: tr("everything")
        case .reduced: tr("no animation")
        case .off: tr("only times")
        }
    }

    private static func policy(_ policy: TokenPolicy) -> String {
        switch policy {
        case .allow: tr("all your programs")
        case .ask: tr("programs you approve")
        case .deny: tr("no program")
        }
    }

    /// Returns the meaning of an option; empty if the option is self-explanatory.
    package static func optionMeaning(_ word: String, of id: Setting.ID) -> String {
        switch id {
        case .seal: seal(word).meaning
        case .policy where word == TokenPolicy.ask.rawValue: tr("asks you here each time")
        default: ""
        }
    }

    /// Returns where the store's key is kept, in words instead of the value of the configuration, and what that means.
    private static func seal(_ word: String) -> (name: String, meaning: String) {
        switch word {
        case "auto": (tr("automatic"), tr("the login keyring if it is unlocked, else systemd, else a key file"))
        case "passphrase": (tr("passphrase"), tr("asks you for it"))
        case "secret-service": (tr("login keyring"), tr("in your login keyring"))
        case "system": (tr("systemd"), tr("sealed by systemd to this machine, with its TPM if it has one"))
        case "security-key": (tr("security key"), tr("opened by your FIDO2 security key, with its PIN and a touch"))
        case "key-file": (tr("key file"), tr("in a file beside the store: anyone who can read your files has both"))
        case "memory": (tr("memory"), tr("nothing is saved"))
        default: (Words.spelled(word), "")
        }
    }
}
