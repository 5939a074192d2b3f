import AuthModel

/// An ArcGIS portal at `/sharing/rest`, a server at `/server/rest` that may be federated with it, and a stand-alone server at
/// `/lonely/rest`.
///
/// The page "ArcGIS" of this module's documentation says which parts are public and which are invented here.
actor ArcGISPortal: ProviderBehaviour {
    let serverState: VendorServerState<ArcGISSettings>
    var codes = AuthorizationCodes<CodeContent>()
    var tokens = ArcGISTokens()
    /// Revocation requests without a response yet.
    var pendingRevocations: [CheckedContinuation<Void, Never>] = []

    /// The data behind a code.
    struct CodeContent: Sendable {
        var username: String
        var refreshLifetime: Duration
    }

    static let rest = "/sharing/rest"
    static let federatedServer = "/server"
    static let standaloneServer = "/lonely"
    static let publicItem = "00000000000000000000000000000001"
    static let privateItem = "00000000000000000000000000000002"

    init(serverState: VendorServerState<ArcGISSettings>) { self.serverState = serverState }

    nonisolated var origin: String { serverState.origin }
    nonisolated var settings: ArcGISSettings { serverState.settings }
    nonisolated var now: Timestamp { serverState.now }

    nonisolated var routes: [Route] {
        let at = { @Sendable (path: String) in Self.rest + path }
        let portal: [Route] = [
            Route("GET", path: at("/oauth2/authorize")) { await self.authorize($0, path: at("/oauth2/authorize")) },
            Route("POST", path: at("/oauth2/authorize")) { await self.chosen($0) },
            Route("GET", path: at("/oauth2/social/authorize")) { await self.authorizeSocially($0) },
            Route("POST", path: at("/oauth2/social/authorize")) { await self.chosen($0) },
            Route("GET", path: at("/oauth2/approval")) { self.approval($0) },
            Route("GET", "POST", path: at("/oauth2/token")) { await self.token($0) },
            Route("GET", "POST", path: at("/oauth2/revokeToken")) { await self.revoke($0) },
            Route("GET", "POST", path: at("/generateToken")) { await self.generateToken($0, server: nil) },
            Route("GET", "POST", path: at("/info")) { self.portalInfo($0) },
            Route("GET", "POST", path: at("/portals/self")) { await self.portalSelf($0) },
            Route("GET", "POST", path: at("/community/self")) { await self.communitySelf($0) },
            Route("GET", "POST", path: at("/search")) { await self.search($0) },
            Route("GET", "POST", path: at("/content/items/{id}")) { await self.item($0) },
        ]
        return portal + routes(ofServerAt: Self.federatedServer) + routes(ofServerAt: Self.standaloneServer)
    }

    private nonisolated func routes(ofServerAt path: String) -> [Route] {
        [
            Route("GET", "POST", path: path + "/rest/info") { await self.serverInfo($0, server: path) },
            Route("GET", "POST", path: path + "/rest/services") { await self.services($0, server: path) },
            Route("GET", "POST", path: path + "/rest/services/{name}/MapServer") { await self.service($0, server: path) },
            Route("GET", "POST", path: path + "/tokens/generateToken") { await self.generateToken($0, server: path) },
        ]
    }

    /// Returns a form field, or else a query parameter, as ArcGIS does.
    nonisolated func value(_ name: String, in request: SandboxRequest) -> String? { request.field(name) ?? request.parameter(name) }

    // MARK: Users

    /// Returns the user of the request's token; `nil` if it has none.
    ///
    /// - Parameter server: the requested server; `nil` for the portal.
    /// - Throws: 498 for a token that is not valid here, and the errors that the settings demand.
    func user(of request: SandboxRequest, server: String? = nil) throws(ArcGISError) -> SandboxUser? {
        guard let token = token(in: request) else { return nil }
        guard let grant = tokens.access[token], grant.endsAt > now, grant.server == server,
            grant.referer.map({ request.header("Referer")?.hasPrefix($0) == true }) ?? true
        else { throw .invalidToken }
        if consume(\.refusals498) { throw .invalidToken }
        if consume(\.refusals499) { throw .tokenRequired }
        if settings.forbids { throw .forbidden }
        return VendorServerState<ArcGISSettings>.user(grant.username)
    }

    /// Returns the token from a parameter or a header field. The second header name is for a web server in front that uses `Authorization`
    /// itself.
    private func token(in request: SandboxRequest) -> String? {
        if let token = value("token", in: request) { return token }
        for name in ["X-Esri-Authorization", "Authorization"] {
            if let field = request.header(name), field.hasPrefix("Bearer ") { return String(field.dropFirst("Bearer ".count)) }
        }
        return nil
    }

    /// Returns whether a counted setting refuses this request, and counts it down.
    private func consume(_ path: any WritableKeyPath<ArcGISSettings, Int> & Sendable) -> Bool {
        let count = settings[keyPath: path]
        if count > 0 { serverState.change { $0[keyPath: path] -= 1 } }
        return count != 0
    }

    /// Returns JSON if `f=json` requests it, and a page otherwise, as ArcGIS does.
    nonisolated func answering(
        _ request: SandboxRequest, _ content: () throws(ArcGISError) -> JSONValue
    ) -> SandboxResponse {
        let answer: SandboxResponse
        do throws(ArcGISError) { answer = .json(try content()) } catch { answer = error.answer }
        guard ["json", "pjson"].contains(value("f", in: request)) else {
            return Page.answer(title: "ArcGIS REST Services Directory", "<pre>\(answer.text)</pre>")
        }
        return answer
    }
}

/// The issued tokens of the portal and its servers.
struct ArcGISTokens {
    struct Refresh {
        var clientID: String
        var username: String
        var endsAt: Timestamp
        /// Stays the same when the token is exchanged.
        var lifetime: Duration
    }

    struct Access {
        var username: String
        var endsAt: Timestamp
        /// The refresh token that it was issued with; it is revoked together with that token.
        var refreshToken: String?
        var clientID: String?
        /// The server that the token is for; `nil` for the portal.
        var server: String?
        /// The page that the token was requested for with `client=referer`.
        var referer: String?
    }

    private(set) var refresh: [String: Refresh] = [:]
    private(set) var access: [String: Access] = [:]

    mutating func issue(_ grant: Access) -> String {
        let token = OpenIDProvider.makeName()
        access[token] = grant
        return token
    }

    mutating func issue(_ grant: Refresh) -> String {
        let token = OpenIDProvider.makeName()
        refresh[token] = grant
        return token
    }

    /// Revokes a refresh token with all access tokens that came from it, or only an access token.
    mutating func end(_ token: String) {
        refresh[token] = nil
        access = access.filter { $0.key != token && $0.value.refreshToken != token }
    }

    /// Returns the client of a token; `nil` for an unknown token.
    func client(of token: String) -> String? { refresh[token]?.clientID ?? access[token]?.clientID }
}

/// An error in ArcGIS's format: inside a response with status 200.
struct ArcGISError: Error, Equatable {
    var code: Int
    var message: String
    var messageCode: String?
    var details: [String] = []
    /// Set for errors of the OAuth endpoints, which contain both styles.
    var oauth: (code: String, text: String)?

    static func == (left: ArcGISError, right: ArcGISError) -> Bool { left.answer == right.answer }

    static let invalidToken = ArcGISError(code: 498, message: "Invalid token.")
    static let tokenRequired = ArcGISError(
        code: 499, message: "Token Required", messageCode: "GWM_0003", details: ["Token Required"])
    static let forbidden = ArcGISError(
        code: 403, message: "You do not have permissions to access this resource or perform this operation.", messageCode: "GWM_0003")
    static let wrongPassword = ArcGISError(
        code: 400, message: "Unable to generate token.", details: ["Invalid username or password."])

    static func oauth(_ name: String, _ text: String, code: Int = 400) -> ArcGISError {
        ArcGISError(code: code, message: text, oauth: (name, text))
    }

    static func missing(_ what: String) -> ArcGISError {
        ArcGISError(code: 400, message: "\(what) does not exist or is inaccessible.", messageCode: "CONT_0001")
    }

    /// The response, with status 200.
    var answer: SandboxResponse {
        var members: [JSONValue.Member] = [.init("code", .number(code))]
        if let oauth { members += [.init("error", .string(oauth.code)), .init("error_description", .string(oauth.text))] }
        if let messageCode { members.append(.init("messageCode", .string(messageCode))) }
        members += [.init("message", .string(message)), .init("details", .array(details.map(JSONValue.string)))]
        return .json(["error": .object(members)])
    }
}
