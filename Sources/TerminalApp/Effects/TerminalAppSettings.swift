public import TerminalUI

/// What the person has settled about the app: it is read at the start, and again whenever it changes.
public struct TerminalAppSettings: Equatable, Sendable {
    /// The themes there are, in the order that `t` goes through them.
    public var themes: [Theme]
    /// The name of the one to use; the first where there is no such one.
    public var theme: String
    /// Whether people who are guests somewhere are asked to sign in.
    public var asksGuests: Bool
    public var language: Language
    /// Keys that were given to other actions.
    public var keys: KeyChanges
    /// Whether presses and the wheel of the mouse are taken.
    public var usesMouse: Bool
    /// What can be settled from the app; `nil` where nothing can.
    public var sheet: SettingsSheet?
    /// What the person should know, one line each.
    public var warnings: [String]

    public init(
        themes: [Theme], theme: String, asksGuests: Bool = true, language: Language = .english, keys: KeyChanges = KeyChanges(),
        usesMouse: Bool = true, sheet: SettingsSheet? = nil, warnings: [String] = []
    ) {
        self.themes = themes
        self.theme = theme
        self.asksGuests = asksGuests
        self.language = language
        self.keys = keys
        self.usesMouse = usesMouse
        self.sheet = sheet
        self.warnings = warnings
    }
}
