public import AuthModel

/// The accepted issuers of a provider's responses and tokens: one issuer, or those of its tenants.
public struct IssuerRule: Equatable, Sendable {
    /// The issuer in the provider's metadata, byte for byte: an issuer identifier, or the text of ``pattern``.
    public let published: String
    /// The issuers of the provider's tenants, if it has tenants.
    public let pattern: IssuerPattern?

    /// Creates a rule for a provider with one issuer.
    public init(_ issuer: Issuer) {
        published = issuer.text
        pattern = nil
    }

    /// Creates a rule for a provider with tenants. Returns `nil` if the issuer in the metadata is neither the pattern nor of a tenant.
    public init?(published: String, pattern: IssuerPattern) {
        guard pattern.isPattern(published) || pattern.isTenantIssuer(published) else { return nil }
        self.published = published
        self.pattern = pattern
    }

    /// Whether the metadata names one issuer and not the pattern.
    private var isConcrete: Bool { pattern?.isPattern(published) != true }

    /// The origin of the issuers.
    var origin: Origin? { pattern?.origin ?? WebURL(published)?.origin }

    /// Whether metadata with this issuer may be at the place of `issuer`, which can name its tenant by a domain or an alias.
    func isFound(at issuer: Issuer) -> Bool {
        guard let pattern, let tenant = pattern.tenant(of: issuer.text), tenant.isUUID else { return true }
        return issuer.text.hasSameBytes(as: published)
    }

    /// Whether `iss` of an ID token is accepted. With a pattern, it must be the issuer of the tenant that the token names, and equal the
    /// metadata's issuer if that is the one of a tenant.
    ///
    /// - Parameter tenant: the claim `tid` of the same token.
    func admits(token issuer: String, tenant: String?) -> Bool {
        if let pattern {
            guard let tenant, let expected = pattern.issuer(of: tenant), issuer.hasSameBytes(as: expected) else { return false }
        }
        return !isConcrete || issuer.hasSameBytes(as: published)
    }

    /// Whether `iss` of an authorization response is accepted (RFC 9207 section 2.4). The tenant is not known yet, so with a pattern the issuer
    /// of any tenant is, and the ID token decides.
    func admits(response issuer: String) -> Bool {
        if isConcrete { return issuer.hasSameBytes(as: published) }
        return pattern?.isTenantIssuer(issuer) == true || issuer.hasSameBytes(as: published)
    }

    /// Whether a key with this `issuer` may sign a token: some providers with tenants have keys that are for one tenant only.
    func admits(key issuer: String, of token: String) -> Bool {
        guard let pattern else { return true }
        return pattern.isPattern(issuer) || issuer.hasSameBytes(as: token)
    }
}

extension String {
    /// Whether the text is a UUID: hexadecimal digits in groups of 8, 4, 4, 4 and 12.
    fileprivate var isUUID: Bool {
        let groups = split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }
}
