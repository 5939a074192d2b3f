import AuthModel

/// A fault in a metadata document. See ``summary`` for each case.
public enum DiscoveryFault: String, Sendable, CaseIterable {
    case issuerOther = "issuer-other"
    case issuerInvalid = "issuer-invalid"
    case issuerTrailingSlash = "issuer-trailing-slash"
    case issuerUpperCase = "issuer-upper-case"
    case issuerMissing = "issuer-missing"
    case issuerNumber = "issuer-number"
    case authorizationEndpointMissing = "authorization-endpoint-missing"
    case authorizationEndpointNumber = "authorization-endpoint-number"
    case authorizationEndpointHTTP = "authorization-endpoint-http"
    case authorizationEndpointUserInfo = "authorization-endpoint-user-info"
    case authorizationEndpointFragment = "authorization-endpoint-fragment"
    case authorizationEndpointJavaScript = "authorization-endpoint-javascript"
    case authorizationEndpointShell = "authorization-endpoint-shell"
    case tokenEndpointMissing = "token-endpoint-missing"
    case tokenEndpointNumber = "token-endpoint-number"
    case tokenEndpointHTTP = "token-endpoint-http"
    case tokenEndpointUserInfo = "token-endpoint-user-info"
    case keySetMissing = "jwks-uri-missing"
    case keySetNumber = "jwks-uri-number"
    case keySetHTTP = "jwks-uri-http"
    case userInfoEndpointNumber = "userinfo-endpoint-number"
    case userInfoEndpointHTTP = "userinfo-endpoint-http"
    case userInfoEndpointMissing = "userinfo-endpoint-missing"
    case revocationEndpointMissing = "revocation-endpoint-missing"
    case endSessionEndpointMissing = "end-session-endpoint-missing"
    case revocationEndpointHTTP = "revocation-endpoint-http"
    case endSessionEndpointHTTP = "end-session-endpoint-http"
    case deviceEndpointHTTP = "device-authorization-endpoint-http"
    case pushedEndpointHTTP = "par-endpoint-http"
    case registrationEndpointHTTP = "registration-endpoint-http"
    case responseTypesMissing = "response-types-missing"
    case responseTypesText = "response-types-text"
    case responseTypesWithoutCode = "response-types-without-code"
    case subjectTypesMissing = "subject-types-missing"
    case algorithmsMissing = "algorithms-missing"
    case algorithmsText = "algorithms-text"
    case algorithmsNoneOnly = "algorithms-none-only"
    case algorithmsOther = "algorithms-other"
    case challengeMethodsPlainOnly = "pkce-plain-only"
    case challengeMethodsMissing = "pkce-missing"
    case scopesNumber = "scopes-number"
    case issuerParameterUnannounced = "iss-parameter-unannounced"
    case unknownMembers = "unknown-members"
    case certificateAliases = "mtls-aliases"
    case registrationEndpointApart = "registration-endpoint-apart"
    case registrationEndpointApartOther = "registration-endpoint-apart-issuer-other"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .issuerOther: "issuer names another host"
        case .issuerInvalid: "issuer has INVALID appended"
        case .issuerTrailingSlash: "issuer has a slash appended"
        case .issuerUpperCase: "issuer has its scheme in upper case"
        case .issuerMissing: "issuer is missing"
        case .issuerNumber: "issuer is a number"
        case .authorizationEndpointMissing: "authorization_endpoint is missing"
        case .authorizationEndpointNumber: "authorization_endpoint is a number"
        case .authorizationEndpointHTTP: "authorization_endpoint is plain http off loopback"
        case .authorizationEndpointUserInfo: "authorization_endpoint has user information"
        case .authorizationEndpointFragment: "authorization_endpoint has a fragment"
        case .authorizationEndpointJavaScript: "authorization_endpoint is a javascript URL"
        case .authorizationEndpointShell: "authorization_endpoint contains $(…), a backtick, quotes and a space"
        case .tokenEndpointMissing: "token_endpoint is missing"
        case .tokenEndpointNumber: "token_endpoint is a number"
        case .tokenEndpointHTTP: "token_endpoint is plain http off loopback"
        case .tokenEndpointUserInfo: "token_endpoint has user information"
        case .keySetMissing: "jwks_uri is missing"
        case .keySetNumber: "jwks_uri is a number"
        case .keySetHTTP: "jwks_uri is plain http off loopback"
        case .userInfoEndpointNumber: "userinfo_endpoint is a number"
        case .userInfoEndpointHTTP: "userinfo_endpoint is plain http off loopback"
        case .userInfoEndpointMissing: "userinfo_endpoint is missing, which is allowed"
        case .revocationEndpointMissing: "revocation_endpoint is missing, which is allowed"
        case .endSessionEndpointMissing: "end_session_endpoint is missing, which is allowed"
        case .revocationEndpointHTTP: "revocation_endpoint is plain http off loopback"
        case .endSessionEndpointHTTP: "end_session_endpoint is plain http off loopback"
        case .deviceEndpointHTTP: "device_authorization_endpoint is plain http off loopback"
        case .pushedEndpointHTTP: "pushed_authorization_request_endpoint is plain http off loopback"
        case .registrationEndpointHTTP: "registration_endpoint is plain http off loopback"
        case .responseTypesMissing: "response_types_supported is missing"
        case .responseTypesText: "response_types_supported is text"
        case .responseTypesWithoutCode: "response_types_supported has no code"
        case .subjectTypesMissing: "subject_types_supported is missing"
        case .algorithmsMissing: "id_token_signing_alg_values_supported is missing"
        case .algorithmsText: "id_token_signing_alg_values_supported is text"
        case .algorithmsNoneOnly: "id_token_signing_alg_values_supported contains only none"
        case .algorithmsOther: "id_token_signing_alg_values_supported lacks the algorithm that is used"
        case .challengeMethodsPlainOnly: "code_challenge_methods_supported contains only plain"
        case .challengeMethodsMissing: "code_challenge_methods_supported is missing, as with many providers"
        case .scopesNumber: "scopes_supported is a number"
        case .issuerParameterUnannounced: "authorization_response_iss_parameter_supported is missing"
        case .unknownMembers: "unknown members, which must be ignored"
        case .certificateAliases: "mtls_endpoint_aliases has other endpoints, only for clients with a certificate"
        case .registrationEndpointApart: "registration_endpoint is in the RFC 8414 document only, which is allowed"
        case .registrationEndpointApartOther: "the same, and that document's issuer names another host"
        }
    }

    func apply(_ document: JSONValue, kind: SandboxConfiguration.Metadata) -> JSONValue {
        let offLoopback = "http://provider.example/"
        switch self {
        case .issuerOther: return document.setting("issuer", "https://other.example")
        case .issuerInvalid: return document.appending("INVALID", to: "issuer")
        case .issuerTrailingSlash: return document.appending("/", to: "issuer")
        case .issuerUpperCase: return document.mapping("issuer") { "HTTP" + $0.dropFirst(4) }
        case .issuerMissing: return document.removing("issuer")
        case .issuerNumber: return document.setting("issuer", 42)
        case .authorizationEndpointMissing: return document.removing("authorization_endpoint")
        case .authorizationEndpointNumber: return document.setting("authorization_endpoint", 42)
        case .authorizationEndpointHTTP: return document.setting("authorization_endpoint", .string(offLoopback + "authorize"))
        case .authorizationEndpointUserInfo: return document.mapping("authorization_endpoint", Self.withUserInfo)
        case .authorizationEndpointFragment: return document.appending("#fragment", to: "authorization_endpoint")
        case .authorizationEndpointJavaScript: return document.setting("authorization_endpoint", "javascript:alert(1)")
        case .authorizationEndpointShell: return document.appending(#"?x=$(id)`id`'";touch /tmp/x "#, to: "authorization_endpoint")
        case .tokenEndpointMissing: return document.removing("token_endpoint")
        case .tokenEndpointNumber: return document.setting("token_endpoint", 42)
        case .tokenEndpointHTTP: return document.setting("token_endpoint", .string(offLoopback + "token"))
        case .tokenEndpointUserInfo: return document.mapping("token_endpoint", Self.withUserInfo)
        case .keySetMissing: return document.removing("jwks_uri")
        case .keySetNumber: return document.setting("jwks_uri", 42)
        case .keySetHTTP: return document.setting("jwks_uri", .string(offLoopback + "jwks"))
        case .userInfoEndpointNumber: return document.setting("userinfo_endpoint", 42)
        case .userInfoEndpointHTTP: return document.setting("userinfo_endpoint", .string(offLoopback + "userinfo"))
        case .userInfoEndpointMissing: return document.removing("userinfo_endpoint")
        case .revocationEndpointMissing: return document.removing("revocation_endpoint")
        case .endSessionEndpointMissing: return document.removing("end_session_endpoint")
        case .revocationEndpointHTTP: return document.setting("revocation_endpoint", .string(offLoopback + "revoke"))
        case .endSessionEndpointHTTP: return document.setting("end_session_endpoint", .string(offLoopback + "logout"))
        case .deviceEndpointHTTP: return document.setting("device_authorization_endpoint", .string(offLoopback + "device_authorization"))
        case .pushedEndpointHTTP: return document.setting("pushed_authorization_request_endpoint", .string(offLoopback + "par"))
        case .registrationEndpointHTTP: return document.setting("registration_endpoint", .string(offLoopback + "register"))
        case .responseTypesMissing: return document.removing("response_types_supported")
        case .responseTypesText: return document.setting("response_types_supported", "code")
        case .responseTypesWithoutCode: return document.setting("response_types_supported", ["id_token"])
        case .subjectTypesMissing: return document.removing("subject_types_supported")
        case .algorithmsMissing: return document.removing("id_token_signing_alg_values_supported")
        case .algorithmsText: return document.setting("id_token_signing_alg_values_supported", "RS256")
        case .algorithmsNoneOnly: return document.setting("id_token_signing_alg_values_supported", ["none"])
        case .algorithmsOther: return document.setting("id_token_signing_alg_values_supported", ["PS512"])
        case .challengeMethodsPlainOnly: return document.setting("code_challenge_methods_supported", ["plain"])
        case .challengeMethodsMissing: return document.removing("code_challenge_methods_supported")
        case .scopesNumber: return document.setting("scopes_supported", 42)
        case .issuerParameterUnannounced: return document.removing("authorization_response_iss_parameter_supported")
        case .registrationEndpointApart: return kind == .openID ? document.removing("registration_endpoint") : document
        case .registrationEndpointApartOther:
            return kind == .openID ? document.removing("registration_endpoint") : document.setting("issuer", "https://other.example")
        case .certificateAliases:
            let apart = JSONValue.string((document["issuer"]?.string ?? "") + "/elsewhere")
            return document.setting("mtls_endpoint_aliases", ["token_endpoint": apart, "userinfo_endpoint": apart])
        case .unknownMembers: return document.setting("x_gate", ["iron": true]).setting("x_bars", [1, 2])
        }
    }

    private static func withUserInfo(_ url: String) -> String {
        url.replacingFirst("://", with: "://trusted.example@")
    }
}

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

/// A fault in the key set. See ``summary`` for each case.
public enum KeySetFault: String, Sendable, CaseIterable {
    case noKeys = "no-keys"
    case keysMissing = "keys-missing"
    case keysObject = "keys-object"
    case symmetric = "symmetric"
    case duplicateIdentifiers = "duplicate-kid"
    case damaged = "damaged"
    case withoutIdentifiers = "without-kid"
    case otherKeys = "other-keys"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .noKeys: "keys is an empty array"
        case .keysMissing: "keys is missing"
        case .keysObject: "keys is an object"
        case .symmetric: "the first key is a symmetric key, which is public here"
        case .duplicateIdentifiers: "every key has the same kid, which no token names"
        case .damaged: "every key has numbers that are not base64url"
        case .withoutIdentifiers: "no key has a kid, although tokens name one"
        case .otherKeys: "only keys that do not sign anything here"
        }
    }

    func apply(_ document: JSONValue) -> JSONValue {
        let keys = document["keys"]?.array ?? []
        func with(_ keys: [JSONValue]) -> JSONValue { document.setting("keys", .array(keys)) }
        switch self {
        case .noKeys: return with([])
        case .keysMissing: return document.removing("keys")
        case .keysObject: return document.setting("keys", [:])
        case .symmetric:
            let key: JSONValue = [
                "kty": "oct", "kid": .string(KeyRing.publishedSecretID), "alg": "HS256",
                "k": .string(SandboxBase64.url(KeyRing.publishedSecret)),
            ]
            return with([key] + keys)
        case .duplicateIdentifiers: return with(keys.map { $0.setting("kid", "same") })
        case .damaged: return with(keys.map { key in ["n", "x"].reduce(key) { $0.appending("=+/", to: $1) } })
        case .withoutIdentifiers: return with(keys.map { $0.removing("kid") })
        case .otherKeys: return with(keys.filter { $0["use"]?.string == "enc" })
        }
    }
}
