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

    /// The issuer with a slash at the end, or without it.
    package var otherSlash: Issuer? { Issuer(text.hasSuffix("/") ? String(text.dropLast()) : text + "/") }

    /// Whether both are the same URL, which for one without a path may be written with a slash or without (RFC 3986 section 6.2.3).
    /// Metadata of resources often have another spelling than the server's own; everything else compares issuers byte for byte.
    package func isSameURL(as other: Issuer) -> Bool {
        self == other || ["", "/"].contains(url.path) && otherSlash == other
    }

    /// Returns whether the server is on the host and port of a resource, or, on this machine, on any port of its host. Elsewhere another
    /// port may be another user's program, and another path another tenant's server, unless the resource is below it.
    package func isBeside(_ resource: WebURL) -> Bool {
        let (own, other) = (url.origin, resource.origin)
        if own.isThisMachine { return own.host == other.host }
        let path = url.path.hasSuffix("/") ? url.path : url.path + "/"
        return own == other && (resource.path + "/").hasPrefix(path)
    }

    /// Whether this server may be asked what it says of itself before the user has confirmed it: a resource of the public Internet names no
    /// server of the user's own network.
    package func mayBeAsked(for resource: WebURL) -> Bool { resource.origin.isPrivate || !url.origin.isPrivate }

    /// Whether this is the whole origin of the other one. It has the well-known places of the other one, too (RFC 8414 section 3.1).
    package func isOrigin(of other: Issuer) -> Bool {
        ["", "/"].contains(url.path) && url.origin == other.url.origin
    }
}

extension Issuer: CustomStringConvertible {
    /// The identifier, byte for byte.
    public var description: String { text }
}

/// The issuers of a provider whose tenants have one each: an issuer identifier with `{tenantid}` as one segment of its path.
///
/// The provider's metadata has the pattern itself, or the issuer of one tenant. The `iss` of an ID token is the issuer of the tenant that
/// its claim `tid` names.
public struct IssuerPattern: Hashable, Sendable {
    /// The pattern as it was written.
    public let text: String
    /// The part before the placeholder: the origin, and the beginning of the path.
    private let start: String
    private let end: String

    /// The placeholder for the tenant.
    public static let placeholder = "{tenantid}"
    /// The claim of an ID token that names the tenant.
    public static let claim = "tid"

    /// Parses a pattern. Returns `nil` unless the placeholder is exactly one segment of the path of an issuer identifier, so that the
    /// origin of the issuers is fixed.
    public init?(_ text: String) {
        let parts = text.split(separator: Self.placeholder, maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].hasSuffix("/"), parts[1].isEmpty || parts[1].hasPrefix("/"),
            let first = Issuer(parts[0]), !first.url.path.isEmpty, Issuer(parts[0] + "tenant" + parts[1])?.url.origin == first.url.origin
        else { return nil }
        self.text = text
        start = parts[0]
        end = parts[1]
    }

    /// The origin of all issuers.
    public var origin: Origin? { WebURL(start)?.origin }

    /// Returns the issuer of a tenant; `nil` if the text is no tenant's name.
    public func issuer(of tenant: String) -> String? {
        guard Self.isTenant(tenant) else { return nil }
        return start + tenant + end
    }

    /// Whether a text is the pattern itself, byte for byte.
    public func isPattern(_ issuer: String) -> Bool { issuer.hasSameBytes(as: text) }

    /// Whether a text is the issuer of one tenant.
    public func isTenantIssuer(_ issuer: String) -> Bool { tenant(of: issuer) != nil }

    /// Returns the tenant of an issuer; `nil` if it is not the issuer of one tenant.
    public func tenant(of issuer: String) -> String? {
        let bytes = Array(issuer.utf8)
        guard bytes.count > start.utf8.count + end.utf8.count, bytes.starts(with: start.utf8),
            bytes.reversed().starts(with: end.utf8.reversed())
        else { return nil }
        let tenant = String(decoding: bytes.dropFirst(start.utf8.count).dropLast(end.utf8.count), as: UTF8.self)
        return Self.isTenant(tenant) ? tenant : nil
    }

    /// Letters, digits, `.`, `_` and `-`, so that a tenant is always one segment.
    private static func isTenant(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
    }
}

extension IssuerPattern: CustomStringConvertible {
    /// The pattern as it was written.
    public var description: String { text }
}
