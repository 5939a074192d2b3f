public import AuthModel

/// One thing that a person can settle from the app, and how it is settled now.
public struct Setting: Equatable, Sendable {
    /// Which thing.
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
        /// Empty where nothing was settled.
        case text(String)
        /// Seconds; `nil` for never.
        case span(Int64?)
    }

    public var id: ID
    public var value: Value
    /// The words there are, for one that is a word.
    public var options: [String]
    /// Whether the configuration says so; else it is what holds where nothing is said.
    public var isSet: Bool

    public init(_ id: ID, _ value: Value, options: [String] = [], isSet: Bool = false) {
        self.id = id
        self.value = value
        self.options = options
        self.isSet = isSet
    }
}

/// Everything that can be settled from the app, in the order in which it is shown.
public struct SettingsSheet: Equatable, Sendable {
    /// Where it is written, as people know the file.
    public var file: String
    public var settings: [Setting]

    public init(file: String, settings: [Setting]) {
        self.file = file
        self.settings = settings
    }

    subscript(id: Setting.ID) -> Setting? { settings.first { $0.id == id } }
}

/// What is to be written.
public struct SettingChange: Equatable, Sendable {
    public var id: Setting.ID
    /// `nil`: nothing is to be said of it any more, and what is usual holds.
    public var value: Setting.Value?

    public init(_ id: Setting.ID, _ value: Setting.Value?) {
        self.id = id
        self.value = value
    }
}
