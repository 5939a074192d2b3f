import AuthModel

/// A fault in the response to a registration (RFC 7591 section 3.2.1). See ``summary`` for each case.
public enum RegistrationFault: String, Sendable, CaseIterable {
    case status200 = "status-200"
    case secretForPublic = "secret-for-public-client"
    case secretMissing = "client-secret-missing"
    case identifierMissing = "client-id-missing"
    case identifierNumber = "client-id-number"
    case redirectsChanged = "redirect-uris-changed"
    case redirectsMissing = "redirect-uris-missing"
    case methodOther = "auth-method-other"
    case managementMissing = "management-missing"
    case managementElsewhere = "management-elsewhere"
    case invalidRedirect = "invalid-redirect-uri"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .status200: "status 200 instead of 201"
        case .secretForPublic: "client_secret, although the client asked to be public"
        case .secretMissing: "no client_secret, although the client asked for one"
        case .identifierMissing: "client_id is missing"
        case .identifierNumber: "client_id is a number"
        case .redirectsChanged: "redirect_uris is not the URL that was sent"
        case .redirectsMissing: "redirect_uris is missing"
        case .methodOther: "token_endpoint_auth_method is client_secret_jwt"
        case .managementMissing: "registration_access_token and registration_client_uri are missing, which is allowed"
        case .managementElsewhere: "registration_client_uri is of another host"
        case .invalidRedirect: "400 invalid_redirect_uri"
        }
    }

    /// Returns the response with this fault.
    func apply(_ honest: SandboxResponse) -> SandboxResponse {
        switch self {
        case .status200: honest.with(status: 200)
        case .secretForPublic: honest.mapping { $0.setting("client_secret", "nobody-asked").setting("client_secret_expires_at", 0) }
        case .secretMissing: honest.mapping { $0.removing("client_secret").removing("client_secret_expires_at") }
        case .identifierMissing: honest.mapping { $0.removing("client_id") }
        case .identifierNumber: honest.mapping { $0.setting("client_id", 42) }
        case .redirectsChanged: honest.mapping { $0.setting("redirect_uris", ["https://other.example/callback"]) }
        case .redirectsMissing: honest.mapping { $0.removing("redirect_uris") }
        case .methodOther: honest.mapping { $0.setting("token_endpoint_auth_method", "client_secret_jwt") }
        case .managementMissing: honest.mapping { $0.removing("registration_access_token").removing("registration_client_uri") }
        case .managementElsewhere: honest.mapping { $0.setting("registration_client_uri", "https://other.example/register") }
        case .invalidRedirect: honest
        }
    }
}
