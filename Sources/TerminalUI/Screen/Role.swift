/// What a piece of text means. A theme says how that looks; no screen names a colour.
public enum Role: String, CaseIterable, Hashable, Sendable {
    /// Ordinary text.
    case text
    /// Text that is there but should not draw the eye.
    case muted
    /// Headings and names of screens.
    case title
    /// The one thing of a screen that matters now.
    case accent
    /// An address that can be opened or copied.
    case link
    /// A key that can be pressed.
    case key
    /// It went well; valid.
    case success
    /// It needs a look soon.
    case warning
    /// It failed, or cannot be undone.
    case danger
    /// Neutral news.
    case info
    /// Lines around panels.
    case border
    /// Lines around the panel that has the keyboard.
    case focus
    /// The part of a bar that is left.
    case barFilled = "bar_filled"
    /// The part of a bar that is gone.
    case barEmpty = "bar_empty"
}
