public import AuthModel
public import Localization
public import TerminalUI

/// The user's settings for the app, read at the start and whenever they change.
public struct TerminalAppSettings: Equatable, Sendable {
    /// The themes, in the order that `t` selects them.
    public var themes: [Theme]
    /// The name of the theme to use; the first theme if there is no such one.
    public var theme: String
    /// Whether guests are asked to sign in.
    public var asksGuests: Bool
    /// The language of the app.
    public var language: Language
    /// The user's changes to the keys.
    public var keys: KeyChanges
    /// Whether the app uses mouse clicks and the wheel.
    public var usesMouse: Bool
    /// The user's time zone.
    public var localTime: LocalTime
    /// How much on the screen may move.
    public var motion: Motion
    /// The settings that the app can change; nil if it can change none.
    public var sheet: SettingsSheet?
    /// Warnings for the user, one line each.
    public var warnings: [String]

    /// Creates settings.
    public init(
        themes: [Theme], theme: String, asksGuests: Bool = true, language: Language = .english, keys: KeyChanges = KeyChanges(),
        usesMouse: Bool = true, localTime: LocalTime = .utc, motion: Motion = .off, sheet: SettingsSheet? = nil,
        warnings: [String] = []
    ) {
        self.themes = themes
        self.theme = theme
        self.asksGuests = asksGuests
        self.language = language
        self.keys = keys
        self.usesMouse = usesMouse
        self.localTime = localTime
        self.motion = motion
        self.sheet = sheet
        self.warnings = warnings
    }
}

/// A setting that the user can change in the app, with its current value.
public struct Setting: Equatable, Sendable {
    /// The identifier of a setting.
    public enum ID: Hashable, Sendable {
        /// The theme.
        case theme
        /// The language.
        case language
        /// Whether guests are asked to sign in.
        case guestPrompt
        /// Whether the app uses the mouse.
        case mouse
        /// ``Motion``.
        case motion
        /// Where the store's key is kept; it applies to a newly created store.
        case seal
        /// The time without a request for the keys after which the agent locks the store.
        case lockAfter
        /// The time without activity after which the agent exits.
        case idleExit
        /// Whether the desktop notifies the user when a session cannot be renewed.
        case notify
        /// Whether the agent gives no token to the program with this path.
        case blockedProgram(String)
        /// The command that opens a provider's pages.
        case browser(ProviderName)
        /// Whether a provider's pages open in a private browser window.
        case isPrivate(ProviderName)
        /// ``AuthModel/TokenPolicy``.
        case policy(ProviderName)
    }

    /// The value of a setting.
    public enum Value: Equatable, Sendable {
        /// A switch.
        case flag(Bool)
        /// One of ``Setting/options``.
        case word(String)
        /// Free text; empty if the setting is not set.
        case text(String)
        /// A time in seconds; nil for never.
        case span(Int64?)
    }

    /// The setting's identifier.
    public var id: ID
    /// The current value.
    public var value: Value
    /// The allowed words, for a word setting.
    public var options: [String]
    /// Whether the configuration sets it; otherwise ``value`` is the default.
    public var isSet: Bool

    /// Creates a setting.
    public init(_ id: ID, _ value: Value, options: [String] = [], isSet: Bool = false) {
        self.id = id
        self.value = value
        self.options = options
        self.isSet = isSet
    }
}

/// A change to a setting.
public struct SettingChange: Equatable, Sendable {
    /// The setting to change.
    public var id: Setting.ID
    /// The new value; nil removes the setting, so that the default applies.
    public var value: Setting.Value?

    /// Creates a change.
    public init(_ id: Setting.ID, _ value: Setting.Value?) {
        self.id = id
        self.value = value
    }
}

/// All settings that the app can change, in display order.
public struct SettingsSheet: Equatable, Sendable {
    /// The path of the configuration file, for display.
    public var file: String
    /// The settings in display order.
    public var settings: [Setting]

    /// Creates the list of settings.
    public init(file: String, settings: [Setting]) {
        self.file = file
        self.settings = settings
    }

    package subscript(id: Setting.ID) -> Setting? { settings.first { $0.id == id } }
}
