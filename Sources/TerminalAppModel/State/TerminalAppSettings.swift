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
