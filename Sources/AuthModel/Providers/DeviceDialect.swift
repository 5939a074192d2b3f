/// The differences of a service's device flow from RFC 8628, such as those of flows that are older.
public struct DeviceDialect: Equatable, Sendable {
    /// Additional parameters of requests for a device code: `device_params`.
    public var parameters: [String: String] = [:]
    /// The lifetime of the codes, in seconds, if the response names none: `device_lifetime`.
    public var lifetime: Int64?
    /// The endpoint to poll, if it is not the token endpoint: `device_token_endpoint`.
    public var tokenEndpoint: WebURL?
    /// The `grant_type` of polls; `nil` if they have none: `device_grant`.
    public var grantType: String? = DeviceDialect.standardGrantType
    /// The parameter of polls that has the device code: `device_code_parameter`.
    public var codeParameter = "device_code"
    /// Additional parameters of polls: `device_poll_params`. ``userCodePlaceholder`` stands for the code that the user types.
    public var pollParameters: [String: String] = [:]
    /// The token that authenticates the client in place of its secret, sent as `access_token` after the client identifier and a bar:
    /// `device_client_token`. Apps contain it, so it is no secret.
    public var clientToken: String?
    /// Whether requests for a device code have a code challenge (RFC 7636): `device_pkce`.
    public var pkce = PKCEUse.auto
    /// The meanings of the service's own error codes, and of the statuses of its answers: `device_errors`.
    public var meanings: [String: Meaning] = [:]

    /// Creates the standard dialect.
    public init() {}

    /// The grant type of RFC 8628 section 3.4.
    public static let standardGrantType = "urn:ietf:params:oauth:grant-type:device_code"
    /// The value of `device_grant` for polls without a `grant_type`.
    public static let noGrantType = "none"
    /// Stands for the code that the user types.
    public static let userCodePlaceholder = "{user_code}"

    /// Whether requests for a device code have a code challenge.
    public enum PKCEUse: String, Sendable, CaseIterable {
        /// They have one if the provider refuses a request without it, and says so.
        case auto
        case required
    }

    /// The meaning of an answer to a poll without tokens: the error codes of RFC 8628 section 3.5, and `invalid_grant` for an unknown code.
    public enum Meaning: String, Sendable, CaseIterable {
        case pending = "authorization_pending"
        case slowDown = "slow_down"
        case expired = "expired_token"
        case denied = "access_denied"
        case unknownCode = "invalid_grant"
    }

    /// The settings that differ from the standard, by their configuration names, in display order.
    var shown: [(name: String, value: JSONValue)] {
        let standard = DeviceDialect()
        let all: [(name: String, isSet: Bool, value: JSONValue)] = [
            ("device_params", !parameters.isEmpty, JSONValue(texts: parameters)),
            ("device_lifetime", lifetime != nil, lifetime.map { .number(String($0)) } ?? .null),
            ("device_token_endpoint", tokenEndpoint != nil, JSONValue(tokenEndpoint?.text)),
            ("device_grant", grantType != standard.grantType, .string(grantType ?? Self.noGrantType)),
            ("device_code_parameter", codeParameter != standard.codeParameter, .string(codeParameter)),
            ("device_poll_params", !pollParameters.isEmpty, JSONValue(texts: pollParameters)),
            ("device_pkce", pkce != standard.pkce, .string(pkce.rawValue)),
            ("device_client_token", clientToken != nil, JSONValue(clientToken)),
            ("device_errors", !meanings.isEmpty, JSONValue(texts: meanings.mapValues(\.rawValue))),
        ]
        return all.filter(\.isSet).map { ($0.name, $0.value) }
    }
}

extension JSONValue {
    /// Creates an object of strings, with its members in the order of their names.
    init(texts: [String: String]) {
        self = .object(texts.sorted { $0.key < $1.key }.map { Member($0.key, .string($0.value)) })
    }
}
