/// What a reader promises and did not keep, for one input.
public struct BrokenProperty: Error, Equatable, Sendable {
    /// The promise, in words.
    public let text: String

    public init(_ text: String) { self.text = text }

    /// Throws unless `holds`.
    package static func unless(_ holds: Bool, _ text: @autoclosure () -> String) throws(BrokenProperty) {
        guard holds else { throw BrokenProperty(text()) }
    }
}
