import AuthModel

/// A validated authorization request (OpenID Connect Core section 3.1.2.1).
struct ReceivedAuthorization: Equatable, Sendable {
    /// The values of `prompt` that this provider supports.
    enum Prompt: String, Sendable, CaseIterable {
        case none
        case login
        case consent
        case create
        case selectAccount = "select_account"
    }

    /// The destination of the authorization response.
    enum ResponseTarget: Equatable, Sendable {
        case redirect(uri: String, state: String?)
        /// To a device that polls (RFC 8628).
        case device(code: String)
    }

    var clientID: String
    var responseTarget: ResponseTarget
    var scopes: ScopeSet
    var challenge: String?
    var nonce: String?
    var prompts: Set<Prompt>
    var loginHint: String?
    var maximumAge: Duration?
    /// The class that `acr_values` prefers.
    var authenticationClass: AuthenticationClass?
    /// The requested resources (RFC 8707).
    var resources: [String] = []
    /// `dpop_jkt` (RFC 9449 section 10).
    var keyThumbprint: String?

    /// The redirect URI; `nil` if the response does not go to a browser.
    var redirectURI: String? {
        if case .redirect(let uri, _) = responseTarget { uri } else { nil }
    }

    /// The scopes that this provider supports.
    static let knownScopes = ["openid", "profile", "email", "offline_access", "hello", "mcp"]
}

/// The refusal of an authorization request.
enum AuthorizationRefusal: Error, Equatable, Sendable {
    /// The client or the redirect URI is invalid, so the browser stays here (RFC 6749 section 4.1.2.1).
    case page(String)
    /// The browser is redirected to the client with an error.
    case redirect(ErrorReply, redirectURI: String, state: String?)
}

extension ReceivedAuthorization {
    /// Validates the parameters of a request; first those that later checks depend on.
    ///
    /// - Parameter find: returns the client for an identifier.
    init(
        parameters: [(name: String, value: String)], client find: (String) -> SandboxClient?, offersPromptCreate: Bool
    ) throws(AuthorizationRefusal) {
        func value(_ name: String) -> String? {
            SandboxRequest.single(name, in: parameters).flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let client = value("client_id").flatMap(find) else {
            throw .page("No client is registered under this client_id.")
        }
        guard let redirectURI = value("redirect_uri") else { throw .page("Exactly one redirect_uri is required.") }
        guard client.accepts(redirect: redirectURI) else {
            throw .page("This redirect_uri is not registered for the client \(client.id).")
        }
        let state = value("state")
        func refuse(_ code: String, _ text: String) -> AuthorizationRefusal {
            .redirect(ErrorReply(code, text), redirectURI: redirectURI, state: state)
        }
        // RFC 8707 section 2: a client may request several resources.
        if let repeated = SandboxRequest.repeated(in: parameters.filter({ $0.name != "resource" })).first {
            throw refuse("invalid_request", "\(FormEncoding.escape(repeated)) is repeated")
        }
        if value("request") != nil { throw refuse("request_not_supported", "request objects are not accepted") }
        if value("request_uri") != nil { throw refuse("request_uri_not_supported", "request_uri is not accepted") }
        guard let responseType = value("response_type") else { throw refuse("invalid_request", "response_type is missing") }
        guard responseType == "code" else { throw refuse("unsupported_response_type", "only code is offered") }
        if let mode = value("response_mode"), mode != "query" { throw refuse("invalid_request", "only response_mode=query is offered") }

        challenge = value("code_challenge")
        let method = value("code_challenge_method")
        if let challenge {
            guard method == "S256" else { throw refuse("invalid_request", "code_challenge_method must be S256") }
            guard challenge.utf8.count == 43, challenge.utf8.allSatisfy(Self.isBase64URL) else {
                throw refuse("invalid_request", "code_challenge is not a SHA-256 hash in base64url")
            }
        } else if client.authentication == .none {
            throw refuse("invalid_request", "a public client must send code_challenge")
        }

        let wanted = ScopeSet(wire: value("scope") ?? "")
        guard wanted.values.allSatisfy(ScopeSet.isScope) else { throw refuse("invalid_scope", "scope is malformed") }
        // RFC 6749 section 3.3: unknown scopes are left out, and the response lists the granted ones.
        scopes = ScopeSet(wanted.values.filter(Self.knownScopes.contains))
        guard !scopes.isEmpty else { throw refuse("invalid_scope", "none of these scopes is offered") }

        var prompts: Set<Prompt> = []
        for word in (value("prompt") ?? "").split(separator: " ") {
            guard let prompt = Prompt(rawValue: String(word)), prompt != .create || offersPromptCreate else {
                throw refuse("invalid_request", "this prompt is not offered")
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw refuse("invalid_request", "prompt=none cannot be combined with other values")
        }
        self.prompts = prompts
        if let age = value("max_age") {
            guard let seconds = Int64(age), seconds >= 0 else { throw refuse("invalid_request", "max_age is not a number of seconds") }
            maximumAge = .seconds(seconds)
        }
        authenticationClass = AuthenticationClass(preferredOf: value("acr_values"))
        resources = parameters.filter { $0.name == "resource" }.map(\.value)
        guard resources.allSatisfy(Self.isResource) else { throw refuse("invalid_target", "resource is not an absolute URI") }
        keyThumbprint = value("dpop_jkt")
        clientID = client.id
        responseTarget = .redirect(uri: redirectURI, state: state)
        nonce = value("nonce")
        loginHint = value("login_hint")
    }

    /// Returns whether `text` can name a resource (RFC 8707 section 2): an absolute URI without a fragment.
    static func isResource(_ text: String) -> Bool {
        if let url = WebURL(text) { return url.fragment == nil }
        return text.hasPrefix("urn:") && text.utf8.count > 4 && !text.contains("#")
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || "-_".utf8.contains(byte) }
}

/// The strength of a user's authentication (OpenID Connect Core section 2, `acr`).
enum AuthenticationClass: String, Sendable, CaseIterable, Comparable {
    /// The user signed in earlier in this browser.
    case password = "urn:yett:sandbox:password"
    /// The user entered the password for this request.
    case again = "urn:yett:sandbox:password-again"

    static func < (left: Self, right: Self) -> Bool { left == .password && right == .again }

    /// Returns the first known class of `values`, which are in order of preference (section 3.1.2.1, `acr_values`).
    init?(preferredOf values: String?) {
        guard let first = (values ?? "").split(separator: " ").lazy.compactMap({ Self(rawValue: String($0)) }).first else { return nil }
        self = first
    }
}

/// A grant type of the token endpoint.
enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    /// Token exchange (RFC 8693).
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// An assertion about a user (RFC 7523).
    case assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// The client itself (RFC 6749 section 4.4).
    case clientCredentials = "client_credentials"
    /// A device code (RFC 8628).
    case device = "urn:ietf:params:oauth:grant-type:device_code"
}
