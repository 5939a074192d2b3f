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
