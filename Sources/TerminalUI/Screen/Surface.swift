/// What a piece of text stands on. A theme gives each a background.
public enum Surface: String, CaseIterable, Hashable, Sendable {
    /// The screen itself.
    case screen
    /// A panel that lies above the screen.
    case panel
    /// The row or button that the keys act on.
    case selection
    /// A field that takes text.
    case field
    /// The line at the top.
    case header
    /// The line of keys at the bottom.
    case footer
    /// A message that asks for attention.
    case notice
}
