/// An issuer identifier (RFC 8414 section 2): an https URL without query and fragment, compared byte for byte.
///
/// `http` is taken where the host is a loopback literal, and nowhere else.
public struct Issuer: Hashable, Sendable {
    /// The identifier as a URL.
    public let url: WebURL

    /// Takes an identifier; `nil` when it is none.
    public init?(_ text: String) {
        guard let url = WebURL(text), url.isProtected, url.query == nil, url.fragment == nil else { return nil }
        self.url = url
    }

    /// The identifier, byte for byte.
    public var text: String { url.text }
}

extension Issuer: CustomStringConvertible {
    public var description: String { text }
}
