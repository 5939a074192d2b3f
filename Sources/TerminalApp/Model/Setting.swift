public import AuthModel

/// A setting that the user can change in the app, with its current value.
public struct Setting: Equatable, Sendable {
    /// The identifier of a setting.
    public enum ID: Hashable, Sendable {
        case theme
        case language
        case guestPrompt
        case mouse
        case seal
        case lockAfter
        case idleExit
        case notify
        case browser(ProviderName)
        case isPrivate(ProviderName)
        /// ``AuthModel/TokenPolicy``.
        case policy(ProviderName)
    }

    public enum Value: Equatable, Sendable {
        case flag(Bool)
        /// One of ``Setting/options``.
        case word(String)
        /// Free text; empty if the setting is not set.
        case text(String)
        /// A time in seconds; nil for never.
        case span(Int64?)
    }

    public var id: ID
    public var value: Value
    /// The allowed words, for a word setting.
    public var options: [String]
    /// Whether the configuration sets it; otherwise ``value`` is the default.
    public var isSet: Bool

    public init(_ id: ID, _ value: Value, options: [String] = [], isSet: Bool = false) {
        self.id = id
        self.value = value
        self.options = options
        self.isSet = isSet
    }
}

/// All settings that the app can change, in display order.
public struct SettingsSheet: Equatable, Sendable {
    /// The path of the configuration file, for display.
    public var file: String
    public var settings: [Setting]

    public init(file: String, settings: [Setting]) {
        self.file = file
        self.settings = settings
    }

    subscript(id: Setting.ID) -> Setting? { settings.first { $0.id == id } }
}

/// A change to a setting.
public struct SettingChange: Equatable, Sendable {
    public var id: Setting.ID
    /// The new value; nil removes the setting, so that the default applies.
    public var value: Setting.Value?

    public init(_ id: Setting.ID, _ value: Setting.Value?) {
        self.id = id
        self.value = value
    }
}
