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
    /// The amount of motion on the screen.
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
        /// The place of the store's key; it applies to a newly created store.
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

/// The offsets from UTC in the user's time zone, for the times on the screen.
///
/// A value, so that the app needs no clock and no file to show a time, and a test can use any zone.
public struct LocalTime: Equatable, Sendable {
    /// A time with one offset: summer or winter.
    public struct Period: Equatable, Sendable {
        /// The start; the first period has no earlier one.
        public var start: Timestamp
        /// The offset, positive in the east.
        public var offset: Duration
        /// The abbreviation: `CET`.
        public var name: String
    }

    /// In the order of their start; never empty.
    private let periods: [Period]

    /// Coordinated Universal Time.
    public static let utc = LocalTime(periods: [Period(start: Timestamp(milliseconds: 0), offset: .zero, name: "UTC")])

    /// The distance from the present up to which the periods are known.
    private static let reach = Duration.seconds(400 * 86_400)
    /// The shortest time between two changes of an offset that is noticed.
    private static let step: Int64 = 7 * 86_400_000

    private init(periods: [Period]) { self.periods = periods }

    /// Finds the periods around a time.
    ///
    /// - Parameter rule: returns the offset and the abbreviation at a time.
    public init(around now: Timestamp, rule: (Timestamp) -> (offset: Duration, name: String)) {
        var moment = (now - Self.reach).milliseconds
        let end = (now + Self.reach).milliseconds
        func period(_ milliseconds: Int64) -> Period {
            let start = Timestamp(milliseconds: milliseconds)
            let found = rule(start)
            return Period(start: start, offset: found.offset, name: found.name)
        }
        var periods = [period(moment)]
        while moment < end {
            let next = moment + Self.step
            if !period(next).isSame(as: period(moment)) {
                // The change lies in this step: its second is found by halves.
                var (before, after) = (moment / 1000, next / 1000)
                while after - before > 1 {
                    let middle = (before + after) / 2
                    if period(middle * 1000).isSame(as: period(moment)) { before = middle } else { after = middle }
                }
                periods.append(period(after * 1000))
            }
            moment = next
        }
        self.init(periods: periods)
    }

    package func period(at moment: Timestamp) -> Period { periods.last { $0.start <= moment } ?? periods[0] }
}

extension LocalTime.Period {
    fileprivate func isSame(as other: Self) -> Bool { offset == other.offset && name == other.name }
}
