/// A button in one row: the key that presses it, where it has one, and its name on a ground.
package struct Button: Equatable, Sendable {
    /// The name.
    package var label: String
    /// The key; empty for a button that the focus alone presses.
    package var key = ""
    /// Whether Enter presses the button now.
    package var isChosen = false
    /// Whether the button can be pressed; one that cannot is dim, in the same place.
    package var isEnabled = true

    /// Creates a button.
    package init(_ label: String, key: String = "", isChosen: Bool = false, isEnabled: Bool = true) {
        self.label = label
        self.key = key
        self.isChosen = isChosen
        self.isEnabled = isEnabled
    }

    /// The button as text, with a space at both sides.
    package var spans: [TextLine.Span] {
        let ground: Surface = isChosen ? .selection : .field
        let role: Role = isEnabled ? (isChosen ? .title : .text) : .muted
        let name = Style(role, on: ground, attributes: isChosen ? .bold : [])
        guard !key.isEmpty else { return [TextLine.Span(" \(label) ", name)] }
        return [
            TextLine.Span(" \(key) ", Style(isEnabled ? .key : .muted, on: ground)), TextLine.Span(label + " ", name),
        ]
    }
}
