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
    public var summary: String { effect().summary }

    func apply(_ document: JSONValue, kind: SandboxConfiguration.Metadata) -> JSONValue { effect(in: kind).apply(document) }

    private func effect(in kind: SandboxConfiguration.Metadata = .openID) -> FaultEffect<JSONValue> {
        switch self {
        case .issuerOther: .setting("issuer", "https://other.example", "names another host")
        case .issuerInvalid: .appending("INVALID", to: "issuer")
        case .issuerTrailingSlash: .appending("/", to: "issuer", "has a slash appended")
        case .issuerUpperCase: .init("issuer has its scheme in upper case") { $0.mapping("issuer") { "HTTP" + $0.dropFirst(4) } }
        case .issuerMissing: .missing("issuer")
        case .issuerNumber: .number("issuer")
        case .authorizationEndpointMissing: .missing("authorization_endpoint")
        case .authorizationEndpointNumber: .number("authorization_endpoint")
        case .authorizationEndpointHTTP: .plainHTTP("authorization_endpoint", "authorize")
        case .authorizationEndpointUserInfo: Self.withUserInfo("authorization_endpoint")
        case .authorizationEndpointFragment: .appending("#fragment", to: "authorization_endpoint", "has a fragment")
        case .authorizationEndpointJavaScript: .setting("authorization_endpoint", "javascript:alert(1)", "is a javascript URL")
        case .authorizationEndpointShell:
            .appending(
                #"?x=$(id)`id`'";touch /tmp/x "#, to: "authorization_endpoint", "contains $(…), a backtick, quotes and a space")
        case .tokenEndpointMissing: .missing("token_endpoint")
        case .tokenEndpointNumber: .number("token_endpoint")
        case .tokenEndpointHTTP: .plainHTTP("token_endpoint", "token")
        case .tokenEndpointUserInfo: Self.withUserInfo("token_endpoint")
        case .keySetMissing: .missing("jwks_uri")
        case .keySetNumber: .number("jwks_uri")
        case .keySetHTTP: .plainHTTP("jwks_uri", "jwks")
        case .userInfoEndpointNumber: .number("userinfo_endpoint")
        case .userInfoEndpointHTTP: .plainHTTP("userinfo_endpoint", "userinfo")
        case .userInfoEndpointMissing: .missing("userinfo_endpoint", ", which is allowed")
        case .revocationEndpointMissing: .missing("revocation_endpoint", ", which is allowed")
        case .endSessionEndpointMissing: .missing("end_session_endpoint", ", which is allowed")
        case .revocationEndpointHTTP: .plainHTTP("revocation_endpoint", "revoke")
        case .endSessionEndpointHTTP: .plainHTTP("end_session_endpoint", "logout")
        case .deviceEndpointHTTP: .plainHTTP("device_authorization_endpoint", "device_authorization")
        case .pushedEndpointHTTP: .plainHTTP("pushed_authorization_request_endpoint", "par")
        case .registrationEndpointHTTP: .plainHTTP("registration_endpoint", "register")
        case .responseTypesMissing: .missing("response_types_supported")
        case .responseTypesText: .setting("response_types_supported", "code", "is text")
        case .responseTypesWithoutCode: .setting("response_types_supported", ["id_token"], "has no code")
        case .subjectTypesMissing: .missing("subject_types_supported")
        case .algorithmsMissing: .missing("id_token_signing_alg_values_supported")
        case .algorithmsText: .setting("id_token_signing_alg_values_supported", "RS256", "is text")
        case .algorithmsNoneOnly: .setting("id_token_signing_alg_values_supported", ["none"], "contains only none")
        case .algorithmsOther: .setting("id_token_signing_alg_values_supported", ["PS512"], "lacks the algorithm that is used")
        case .challengeMethodsPlainOnly: .setting("code_challenge_methods_supported", ["plain"], "contains only plain")
        case .challengeMethodsMissing: .missing("code_challenge_methods_supported", ", as with many providers")
        case .scopesNumber: .number("scopes_supported")
        case .issuerParameterUnannounced: .missing("authorization_response_iss_parameter_supported")
        case .unknownMembers:
            .init("unknown members, which must be ignored") { $0.setting("x_gate", ["iron": true]).setting("x_bars", [1, 2]) }
        case .certificateAliases:
            .init("mtls_endpoint_aliases has other endpoints, only for clients with a certificate") { document in
                let apart = JSONValue.string((document["issuer"]?.string ?? "") + "/elsewhere")
                return document.setting("mtls_endpoint_aliases", ["token_endpoint": apart, "userinfo_endpoint": apart])
            }
        case .registrationEndpointApart:
            .init("registration_endpoint is in the RFC 8414 document only, which is allowed") {
                kind == .openID ? $0.removing("registration_endpoint") : $0
            }
        case .registrationEndpointApartOther:
            .init("the same, and that document's issuer names another host") {
                kind == .openID ? $0.removing("registration_endpoint") : $0.setting("issuer", "https://other.example")
            }
        }
    }

    private static func withUserInfo(_ name: String) -> FaultEffect<JSONValue> {
        .init("\(name) has user information") { $0.mapping(name) { $0.replacingFirst("://", with: "://trusted.example@") } }
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
    public var summary: String { effect.summary }

    func apply(_ honest: SandboxResponse) -> SandboxResponse { effect.apply(honest) }

    private var effect: FaultEffect<SandboxResponse> {
        switch self {
        case .status200: .status200
        case .secretForPublic:
            .body(
                .init("client_secret, although the client asked to be public") {
                    $0.setting("client_secret", "nobody-asked").setting("client_secret_expires_at", 0)
                })
        case .secretMissing:
            .body(
                .init("no client_secret, although the client asked for one") {
                    $0.removing("client_secret").removing("client_secret_expires_at")
                })
        case .identifierMissing: .body(.missing("client_id"))
        case .identifierNumber: .body(.number("client_id"))
        case .redirectsChanged: .body(.setting("redirect_uris", ["https://other.example/callback"], "is not the URL that was sent"))
        case .redirectsMissing: .body(.missing("redirect_uris"))
        case .methodOther: .body(.setting("token_endpoint_auth_method", "client_secret_jwt", "is client_secret_jwt"))
        case .managementMissing:
            .body(
                .init("registration_access_token and registration_client_uri are missing, which is allowed") {
                    $0.removing("registration_access_token").removing("registration_client_uri")
                })
        case .managementElsewhere: .body(.setting("registration_client_uri", "https://other.example/register", "is of another host"))
        case .invalidRedirect: .init("400 invalid_redirect_uri")
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
    public var summary: String { effect.summary }

    func apply(_ document: JSONValue) -> JSONValue { effect.apply(document) }

    private var effect: FaultEffect<JSONValue> {
        switch self {
        case .noKeys: .setting("keys", [], "is an empty array")
        case .keysMissing: .missing("keys")
        case .keysObject: .setting("keys", [:], "is an object")
        case .symmetric:
            Self.keys("the first key is a symmetric key, which is public here") { keys in
                let key: JSONValue = [
                    "kty": "oct", "kid": .string(KeyRing.publishedSecretID), "alg": "HS256",
                    "k": .string(SandboxBase64.url(KeyRing.publishedSecret)),
                ]
                return [key] + keys
            }
        case .duplicateIdentifiers:
            Self.keys("every key has the same kid, which no token names") { $0.map { $0.setting("kid", "same") } }
        case .damaged:
            Self.keys("every key has numbers that are not base64url") {
                $0.map { key in ["n", "x"].reduce(key) { $0.appending("=+/", to: $1) } }
            }
        case .withoutIdentifiers: Self.keys("no key has a kid, although tokens name one") { $0.map { $0.removing("kid") } }
        case .otherKeys: Self.keys("only keys that do not sign anything here") { $0.filter { $0["use"]?.string == "enc" } }
        }
    }

    private static func keys(_ summary: String, _ change: @escaping ([JSONValue]) -> [JSONValue]) -> FaultEffect<JSONValue> {
        .init(summary) { $0.setting("keys", .array(change($0["keys"]?.array ?? []))) }
    }
}
