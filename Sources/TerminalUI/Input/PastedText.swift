/// Text that was pasted as a whole. It may be a password, so it does not print itself.
///
/// It is as it came: with line feeds and whatever else. A field takes it through its own rules, and nothing of it is ever read as keys.
public struct PastedText: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }
}

extension PastedText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length, never the content.
    public var description: String { "[pasted, \(text.utf8.count) bytes]" }
    /// The length, never the content.
    public var debugDescription: String { description }
    /// No children: a dump shows no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
