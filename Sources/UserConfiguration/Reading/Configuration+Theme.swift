extension Configuration {
    /// The default theme on a light terminal.
    static let lightTheme = "daylight"

    /// Returns this configuration with the default theme for the terminal's background, if no file sets a theme.
    package func withDefaultTheme(onLightBackground isLight: Bool) -> Configuration {
        guard isLight, !interface.isThemeSet else { return self }
        var changed = self
        changed.interface.theme = Self.lightTheme
        return changed
    }
}
