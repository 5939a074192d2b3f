import AuthModel

/// A fault of a protected resource: in its challenges or its metadata (RFC 9728). See ``summary`` for each case.
public enum ResourceFault: String, Sendable, CaseIterable {
    case challengeBare = "challenge-without-metadata"
    case challengeElsewhere = "challenge-metadata-elsewhere"
    case challengeHTTP = "challenge-metadata-http"
    case metadataAtRootAlone = "metadata-at-root-alone"
    case resourceOther = "metadata-resource-other"
    case resourceMissing = "metadata-resource-missing"
    case serversMissing = "metadata-authorization-servers-missing"
    case serversEmpty = "metadata-authorization-servers-empty"
    case serversForeign = "metadata-authorization-servers-foreign"
    case serversHTTP = "metadata-authorization-servers-http"
    case stepUpForEver = "step-up-for-ever"

    /// A description of the fault, for a table.
    public var summary: String { metadataEffect.summary }

    var affectsChallenges: Bool {
        switch self {
        case .challengeBare, .challengeElsewhere, .challengeHTTP: true
        default: false
        }
    }

    /// Returns whether the fault affects the metadata of a resource.
    func strikes(metadataOf resource: OpenIDProvider.Resource) -> Bool {
        switch self {
        case .metadataAtRootAlone: resource != .root
        case .stepUpForEver: false
        default: !affectsChallenges
        }
    }

    /// Returns the attributes of a challenge with this fault.
    ///
    /// - Parameter elsewhere: a URL of another origin.
    func apply(challenge attributes: [(name: String, value: String)], elsewhere: String) -> [(name: String, value: String)] {
        func leading(to url: String) -> [(name: String, value: String)] {
            attributes.map { $0.name == "resource_metadata" ? ($0.name, url) : $0 }
        }
        switch self {
        case .challengeBare: return attributes.filter { $0.name != "resource_metadata" }
        case .challengeElsewhere: return leading(to: elsewhere)
        case .challengeHTTP: return leading(to: "http://resource.example" + OpenIDProvider.resourceMetadataPath)
        default: return attributes
        }
    }

    func apply(metadata document: JSONValue) -> JSONValue { metadataEffect.apply(document) }

    private var metadataEffect: FaultEffect<JSONValue> {
        switch self {
        case .challengeBare: .init("the challenge has no resource_metadata, so the client must try the well-known URLs")
        case .challengeElsewhere: .init("resource_metadata is of another origin")
        case .challengeHTTP: .init("resource_metadata is plain http off loopback")
        case .metadataAtRootAlone: .init("the metadata URL with the resource's path is 404; the host's metadata exists")
        case .resourceOther: .setting("resource", "https://other.example/mcp", "is not the requested URL")
        case .resourceMissing: .missing("resource")
        case .serversMissing: .missing("authorization_servers")
        case .serversEmpty: .setting("authorization_servers", [], "is empty")
        case .serversForeign: .setting("authorization_servers", ["https://other.example"], "names an unknown host")
        case .serversHTTP:
            .setting("authorization_servers", ["http://provider.example"], "names a server with plain http off loopback")
        case .stepUpForEver: .init("the vault always requires a stronger sign-in, even after one")
        }
    }
}

/// A fault in DPoP (RFC 9449). See ``summary`` for each case.
public enum ProofFault: String, Sendable, CaseIterable {
    case downgrade = "token-type-bearer"
    case nonceLong = "nonce-4k"
    case nonceIllegal = "nonce-illegal"
    case nonceMissing = "nonce-missing"
    case nonceForEver = "use-nonce-for-ever"
    case resourceNonceForEver = "resource-use-nonce-for-ever"
    case schemeMixedCase = "scheme-mixed-case"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .downgrade: "a proof is answered with a Bearer token that is not bound to a key"
        case .nonceLong: "DPoP-Nonce has 4096 characters"
        case .nonceIllegal: "DPoP-Nonce contains a quote, a backslash and a space"
        case .nonceMissing: "use_dpop_nonce without DPoP-Nonce"
        case .nonceForEver: "the authorization server answers every proof with use_dpop_nonce"
        case .resourceNonceForEver: "resources answer every proof with use_dpop_nonce"
        case .schemeMixedCase: "challenges spell the scheme dPoP, which is allowed"
        }
    }

    /// Whether the fault affects the nonce in a response.
    var affectsNonces: Bool {
        switch self {
        case .nonceLong, .nonceIllegal, .nonceMissing: true
        case .downgrade, .nonceForEver, .resourceNonceForEver, .schemeMixedCase: false
        }
    }

    func apply(nonce: String) -> String {
        switch self {
        case .nonceLong: nonce + String(repeating: "n", count: 4096 - nonce.utf8.count)
        case .nonceIllegal: nonce + #" "\"#
        case .downgrade, .nonceMissing, .nonceForEver, .resourceNonceForEver, .schemeMixedCase: nonce
        }
    }
}
