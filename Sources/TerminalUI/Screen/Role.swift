/// The meaning of a piece of text. A theme defines its look; no screen names a colour.
public enum Role: String, CaseIterable, Hashable, Sendable {
    /// Ordinary text.
    case text
    /// Less important text.
    case muted
    /// Headings and names of screens.
    case title
    /// The most important part of the screen now.
    case accent
    /// A URL that can be opened or copied.
    case link
    /// A key that can be pressed.
    case key
    /// Success; valid.
    case success
    /// A warning: attention is needed soon.
    case warning
    /// A failure, or an action that cannot be undone.
    case danger
    /// Neutral information.
    case info
    /// Lines around panels.
    case border
    /// Lines around the panel that has the keyboard focus.
    case focus
    /// The filled part of a bar.
    case barFilled = "bar_filled"
    /// The empty part of a bar.
    case barEmpty = "bar_empty"
}
