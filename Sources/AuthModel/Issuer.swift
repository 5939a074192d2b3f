/// An issuer identifier (RFC 8414 section 2): an https URL without query and fragment, compared byte for byte.
///
/// `http` is accepted only if the host is a loopback literal or `localhost`.
public struct Issuer: Hashable, Sendable {
    /// The identifier as a URL.
    public let url: WebURL

    /// Parses an identifier; returns `nil` if it is invalid.
    public init?(_ text: String) {
        guard let url = WebURL(text), url.isRequestable, url.query == nil, url.fragment == nil else { return nil }
        self.url = url
    }

    /// The identifier, byte for byte.
    public var text: String { url.text }
}

extension Issuer: CustomStringConvertible {
    /// The identifier, byte for byte.
    public var description: String { text }
}
