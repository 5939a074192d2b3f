/// The error for a property that a reader does not keep for an input.
public struct BrokenProperty: Error, Equatable, Sendable {
    /// A description of the violation.
    public let text: String

    /// Creates the error with a description of the violation.
    public init(_ text: String) { self.text = text }

    /// Throws unless `holds`.
    package static func unless(_ holds: Bool, _ text: @autoclosure () -> String) throws(BrokenProperty) {
        guard holds else { throw BrokenProperty(text()) }
    }
}
