/// The background that text is drawn on. A theme gives each surface a colour.
public enum Surface: String, CaseIterable, Hashable, Sendable {
    /// The screen itself.
    case screen
    /// A panel above the screen.
    case panel
    /// The selected row or button.
    case selection
    /// An input field.
    case field
    /// The line at the top.
    case header
    /// The line of keys at the bottom.
    case footer
    /// A message that asks for attention.
    case notice
}
