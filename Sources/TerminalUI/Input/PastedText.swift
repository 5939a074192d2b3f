/// Text that was pasted in one piece. It may be a password, so its description hides the content.
///
/// The text is unchanged, with line feeds and control characters. An input field filters it by its own rules; it is never decoded as keys.
public struct PastedText: Hashable, Sendable {
    /// The unchanged text.
    public let text: String

    /// Creates a pasted text.
    public init(_ text: String) { self.text = text }
}

extension PastedText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length, never the content.
    public var description: String { "[pasted, \(text.utf8.count) bytes]" }
    /// The length, never the content.
    public var debugDescription: String { description }
    /// A mirror without children: a dump shows no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
