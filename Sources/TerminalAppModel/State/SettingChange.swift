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
