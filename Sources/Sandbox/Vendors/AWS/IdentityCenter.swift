import AuthModel

/// AWS IAM Identity Center: the sign-in service (`sso-oidc`), the portal (`sso`), and the sign-in to the AWS console.
///
/// The page "AWSIdentityCenter" of this module's documentation says which parts are public and which are invented here.
actor IdentityCenter: ProviderBehaviour {
    let serverState: VendorServerState<IdentityCenterSettings>
    var clients: [String: Client] = [:]
    var codes = AuthorizationCodes<String>()
    var devices: [String: Device] = [:]
    var sessions: [String: Session] = [:]
    /// The session and the end of each access token.
    var accessTokens: [String: (session: String, endsAt: Timestamp)] = [:]
    /// The session and the client of each refresh token.
    var refreshTokens: [String: (session: String, clientID: String)] = [:]
    /// The role of each set of credentials, by the access key.
    var credentials: [String: RoleCredentials] = [:]
    /// The access key that each token for the console was issued for; each is for one use.
    var consoleTokens: [String: String] = [:]

    /// A registered client.
    struct Client {
        var secret: String
        var endsAt: Timestamp
        var grantTypes: [String]
        var redirectURIs: [String]
        /// Whether the client asked for the scope with which tokens can be renewed.
        var renews: Bool
    }

    /// A device that waits for its user.
    struct Device {
        enum Decision {
            case pending
            case denied
            case approved(username: String)
        }

        var userCode: String
        var clientID: String
        var endsAt: Timestamp
        var decision = Decision.pending
    }

    /// A user's session, which ends at a fixed time, also if its tokens are renewed.
    struct Session {
        var username: String
        var endsAt: Timestamp
    }

    /// The credentials of a role.
    struct RoleCredentials {
        var account: String
        var role: String
        var secret: String
        var token: String
        var endsAt: Timestamp
    }

    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    static let scope = "sso:account:access"

    init(serverState: VendorServerState<IdentityCenterSettings>) { self.serverState = serverState }

    nonisolated var origin: String { serverState.origin }
    nonisolated var settings: IdentityCenterSettings { serverState.settings }
    nonisolated var now: Timestamp { serverState.now }

    nonisolated var routes: [Route] {
        [
            Route("GET", path: "/start") { _ in self.startPage() },
            Route("POST", path: "/client/register") { await self.register($0) },
            Route("GET", path: "/authorize") { await self.authorize($0) },
            Route("POST", path: "/authorize") { await self.chosen($0) },
            Route("POST", path: "/device_authorization") { await self.startDevice($0) },
            Route("GET", path: "/device") { await self.devicePage($0) },
            Route("POST", path: "/device") { await self.decided($0) },
            Route("POST", path: "/token") { await self.token($0) },
            Route("GET", path: "/assignment/accounts") { await self.accounts($0) },
            Route("GET", path: "/assignment/roles") { await self.roles($0) },
            Route("GET", path: "/federation/credentials") { await self.roleCredentials($0) },
            Route("POST", path: "/logout") { await self.logOut($0) },
            Route("GET", path: "/federation") { await self.console($0) },
        ]
    }

    /// Returns the members of a JSON body; an empty object for anything else.
    nonisolated func body(of request: SandboxRequest) -> JSONValue {
        (try? JSONValue(strict: String(decoding: request.body, as: UTF8.self))) ?? .object([])
    }

    private nonisolated func startPage() -> SandboxResponse {
        Page.answer(title: "AWS access portal", "<p>The accounts and roles of this organisation are listed by <code>yett</code>.</p>")
    }

    // MARK: Clients

    private func register(_ request: SandboxRequest) -> SandboxResponse {
        let body = body(of: request)
        let grants = body["grantTypes"]?.strings ?? []
        do throws(IdentityCenterError) {
            guard body["clientName"]?.string?.isEmpty == false else { throw .invalidRequest("clientName is missing") }
            guard body["clientType"]?.string == "public" else {
                throw .init("InvalidClientMetadataException", "invalid_client_metadata", "clientType must be public")
            }
            guard grants.allSatisfy(["authorization_code", "refresh_token", Self.deviceGrant].contains) else {
                throw .init("UnsupportedGrantTypeException", "unsupported_grant_type", "unknown grant type")
            }
            let redirects = body["redirectUris"]?.strings ?? []
            if grants.contains("authorization_code") {
                guard !redirects.isEmpty, redirects.allSatisfy({ WebURL($0) != nil }) else {
                    throw .init("InvalidRedirectUriException", "invalid_redirect_uri", "redirectUris are missing or invalid")
                }
                guard body["issuerUrl"]?.string == origin + "/start" else { throw .invalidRequest("issuerUrl is not of this instance") }
            }
            let id = OpenIDProvider.makeName()
            let client = Client(
                secret: OpenIDProvider.makeName(), endsAt: now + settings.registrationLifetime, grantTypes: grants, redirectURIs: redirects,
                renews: body["scopes"]?.strings?.contains(Self.scope) == true)
            clients[id] = client
            return .json([
                "clientId": .string(id), "clientSecret": .string(client.secret), "clientIdIssuedAt": .number(now.seconds),
                "clientSecretExpiresAt": .number(client.endsAt.seconds),
            ])
        } catch {
            return error.answer
        }
    }

    /// Returns the client of a request's body.
    func client(in body: JSONValue) throws(IdentityCenterError) -> (id: String, client: Client) {
        guard let id = body["clientId"]?.string, let client = clients[id], body["clientSecret"]?.string == client.secret else {
            throw .invalidClient("the client is unknown, or its secret is wrong")
        }
        guard client.endsAt > now else { throw .invalidClient("the client's registration has expired") }
        return (id, client)
    }

    // MARK: The browser

    private func authorize(_ request: SandboxRequest) -> SandboxResponse {
        do throws(IdentityCenterError) {
            try check(request.query)
        } catch {
            return error.page
        }
        if settings.deniesSignIn { return respond(to: request.query, as: nil) }
        if let user = serverState.autoApproved { return respond(to: request.query, as: user) }
        return AccountChooserPage.answer(
            title: "Allow access to your AWS accounts", action: "/authorize", parameters: request.query,
            returnsTo: request.parameter("redirect_uri"))
    }

    private func chosen(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = request.form.filter { $0.name != AccountChooserPage.username }
        do throws(IdentityCenterError) {
            try check(parameters)
        } catch {
            return error.page
        }
        return respond(
            to: parameters, as: request.field(AccountChooserPage.username).flatMap(VendorServerState<IdentityCenterSettings>.user))
    }

    /// Throws for errors that must not be sent to the redirect URI.
    private func check(_ parameters: [(name: String, value: String)]) throws(IdentityCenterError) {
        let single = { (name: String) in SandboxRequest.single(name, in: parameters) }
        guard let client = single("client_id").flatMap({ clients[$0] }), client.endsAt > now else {
            throw .invalidClient("the client is unknown, or its registration has expired")
        }
        guard client.grantTypes.contains("authorization_code") else { throw .unauthorizedClient("the client has no authorization code") }
        guard let redirect = single("redirect_uri"), client.redirectURIs.contains(where: { Self.isSame(redirect, $0) }) else {
            throw .init("InvalidRedirectUriException", "invalid_redirect_uri", "the redirect URI is not registered")
        }
        guard single("response_type") == "code", single("code_challenge_method") == "S256", single("code_challenge") != nil,
            single("state") != nil, single("scopes")?.isEmpty == false
        else { throw .invalidRequest("a parameter is missing or invalid") }
    }

    /// Whether a redirect URI is the registered one. A loopback redirect may use any port (RFC 8252 section 7.3).
    private static func isSame(_ redirect: String, _ registered: String) -> Bool {
        guard let redirect = WebURL(redirect), let registered = WebURL(registered) else { return false }
        if redirect == registered { return true }
        return redirect.origin.host == "127.0.0.1" && registered.origin.host == "127.0.0.1" && redirect.path == registered.path
            && redirect.origin.scheme == registered.origin.scheme
    }

    private func respond(to parameters: [(name: String, value: String)], as user: SandboxUser?) -> SandboxResponse {
        let single = { (name: String) in SandboxRequest.single(name, in: parameters) ?? "" }
        let redirect = single("redirect_uri")
        var answer: [(String, String)]
        if let user {
            let code = codes.issue(
                user.username,
                for: .init(clientID: single("client_id"), redirectURI: redirect, challenge: single("code_challenge")),
                until: now + serverState.common.codeLifetime)
            answer = [("code", code)]
        } else {
            answer = [("error", "access_denied"), ("error_description", "The user has denied the request")]
        }
        answer.append(("state", single("state")))
        return .redirect(to: redirect + (redirect.contains("?") ? "&" : "?") + FormEncoding.encode(answer), status: 302)
    }
}

/// An error of the sign-in service, with the names of its published model and of OAuth.
struct IdentityCenterError: Error {
    var type: String
    var code: String
    var text: String
    var status: Int
    /// The cause, in the errors that have one.
    var reason: String?

    init(_ type: String, _ code: String, _ text: String, status: Int = 400) {
        self.type = type
        self.code = code
        self.text = text
        self.status = status
    }

    static func invalidRequest(_ text: String) -> Self { .init("InvalidRequestException", "invalid_request", text) }
    static func invalidClient(_ text: String) -> Self { .init("InvalidClientException", "invalid_client", text, status: 401) }
    static func invalidGrant(_ text: String) -> Self { .init("InvalidGrantException", "invalid_grant", text) }
    static func unauthorizedClient(_ text: String) -> Self { .init("UnauthorizedClientException", "unauthorized_client", text) }

    /// Returns a refusal that says nothing about the grant; `nil` for an unknown name.
    static func renewalFault(_ name: String) -> Self? {
        switch name {
        case "region": return .init("InvalidRequestRegionException", "invalid_request", "the request is for another region")
        case "throttling": return .init("ThrottlingException", "throttling", "requests are too frequent")
        case "kms_access", "kms_request":
            var error =
                name == "kms_access"
                ? Self("AccessDeniedException", "access_denied", "the key is not accessible") : .invalidRequest("the key is disabled")
            error.reason = name == "kms_access" ? "KMS_AccessDeniedException" : "KMS_DisabledException"
            return error
        default: return nil
        }
    }

    var answer: SandboxResponse {
        var members: [JSONValue.Member] = [.init("error", .string(code)), .init("error_description", .string(text))]
        if let reason { members.append(.init("reason", .string(reason))) }
        return .json(.object(members), status: status, headers: [("x-amzn-ErrorType", type)])
    }

    var page: SandboxResponse { Page.answer(title: "This sign-in cannot start", "<p>\(text)</p>", status: 400) }
}
