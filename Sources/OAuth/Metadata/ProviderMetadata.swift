public import AuthModel

/// What a provider publishes about itself (OpenID Connect Discovery section 3, RFC 8414 section 2), read and checked.
///
/// Every endpoint in it may be sent credentials: https, or http on a loopback literal, without user information and fragment.
public struct ProviderMetadata: Equatable, Sendable {
    /// `nil` only for endpoints written by hand, at a provider without an issuer.
    public var issuer: Issuer?
    public var authorizationEndpoint: WebURL?
    public var tokenEndpoint: WebURL?
    public var userInfoEndpoint: WebURL?
    /// Where the issuer's signing keys are.
    public var keysEndpoint: WebURL?
    /// RFC 7009.
    public var revocationEndpoint: WebURL?
    /// RFC 7662.
    public var introspectionEndpoint: WebURL?
    /// OpenID Connect RP-Initiated Logout section 2.1.
    public var endSessionEndpoint: WebURL?
    /// RFC 8628 section 4.
    public var deviceAuthorizationEndpoint: WebURL?
    /// RFC 9126 section 5.
    public var pushedAuthorizationEndpoint: WebURL?
    /// RFC 7591.
    public var registrationEndpoint: WebURL?

    /// Whether the provider takes authorization requests by RFC 9126 only.
    public var requiresPushedRequests = false
    /// Whether every authorization response carries `iss` (RFC 9207 section 3).
    public var announcesIssuerInResponses = false
    /// Whether a client identifier may be the URL of the client's metadata; see ``ClientIDDocument``.
    public var takesClientIDDocuments = false

    /// Endpoints for a client that authenticates with a certificate; see ``forCertificates``.
    var certificateEndpoints = CertificateEndpoints()

    // `nil` in the lists means that the provider does not say.
    public var scopes: [String]?
    public var responseTypes: [String]?
    public var responseModes: [String]?
    public var grantTypes: [String]?
    public var codeChallengeMethods: [String]?
    /// `prompt` values (Initiating User Registration 1.0 section 5): `create` among them means that accounts can be made.
    public var promptValues: [String]?
    public var contextClasses: [String]?
    public var tokenAuthenticationMethods: [String]?
    public var revocationAuthenticationMethods: [String]?
    public var idTokenAlgorithms: [String]?
    public var userInfoAlgorithms: [String]?
    public var tokenAuthenticationAlgorithms: [String]?
    public var proofAlgorithms: [String]?

    /// Metadata with nothing in it.
    public init() {}

    /// Metadata from endpoints written by hand.
    public init(_ endpoints: ProviderConfiguration.Endpoints, issuer: Issuer? = nil) {
        self.issuer = issuer
        override(with: endpoints)
    }

    /// Puts endpoints written by hand in the place of published ones.
    public mutating func override(with endpoints: ProviderConfiguration.Endpoints) {
        authorizationEndpoint = endpoints.authorization ?? authorizationEndpoint
        tokenEndpoint = endpoints.token ?? tokenEndpoint
        userInfoEndpoint = endpoints.userInfo ?? userInfoEndpoint
        revocationEndpoint = endpoints.revocation ?? revocationEndpoint
        endSessionEndpoint = endpoints.endSession ?? endSessionEndpoint
        deviceAuthorizationEndpoint = endpoints.deviceAuthorization ?? deviceAuthorizationEndpoint
    }

    /// Takes over optional endpoints that only the provider's other document names.
    ///
    /// Some name revocation or registration in the RFC 8414 document alone. Nothing that is here is replaced, and a document of another
    /// issuer gives nothing.
    public mutating func supplement(from other: ProviderMetadata) {
        guard issuer != nil, other.issuer == issuer else { return }
        userInfoEndpoint = userInfoEndpoint ?? other.userInfoEndpoint
        revocationEndpoint = revocationEndpoint ?? other.revocationEndpoint
        introspectionEndpoint = introspectionEndpoint ?? other.introspectionEndpoint
        endSessionEndpoint = endSessionEndpoint ?? other.endSessionEndpoint
        deviceAuthorizationEndpoint = deviceAuthorizationEndpoint ?? other.deviceAuthorizationEndpoint
        pushedAuthorizationEndpoint = pushedAuthorizationEndpoint ?? other.pushedAuthorizationEndpoint
        registrationEndpoint = registrationEndpoint ?? other.registrationEndpoint
        codeChallengeMethods = codeChallengeMethods ?? other.codeChallengeMethods
        requiresPushedRequests = requiresPushedRequests || other.requiresPushedRequests
        announcesIssuerInResponses = announcesIssuerInResponses || other.announcesIssuerInResponses
        takesClientIDDocuments = takesClientIDDocuments || other.takesClientIDDocuments
        proofAlgorithms = proofAlgorithms ?? other.proofAlgorithms
    }

    /// Whether it leaves out an endpoint of those that some providers name in their other document only; see ``supplement(from:)``.
    public var lacksExtensions: Bool {
        revocationEndpoint == nil || introspectionEndpoint == nil || registrationEndpoint == nil
    }

    /// Whether accounts can be made with `prompt=create`; `nil` when the provider does not list its prompts.
    public var offersAccountCreation: Bool? { promptValues.map { $0.contains("create") } }
}
