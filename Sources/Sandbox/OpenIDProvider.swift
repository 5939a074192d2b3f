import AuthModel

/// A correct OpenID provider that can be told to make faults.
///
/// The correct responses come from ``Grants``, ``Interaction`` and the endpoints in `Endpoints`; faults change finished values, at the
/// places marked `Fault point`.
actor OpenIDProvider: ProviderBehaviour {
    let configuration: SandboxConfiguration
    /// The scheme, host and port that clients use.
    let origin: String
    let issuer: String
    let log: RequestLog

    var grants: Grants
    var keys: KeyRing
    var users: [SandboxUser]
    var faultSet: FaultSet
    var autoApproves: String?
    let clockOffset: ClockOffset

    var browsers: [String: BrowserSession] = [:]
    /// The pushed requests, by request_uri.
    var pushed: [String: PushedRequest] = [:]
    /// The clients that registered themselves, by identifier.
    var registrations: [String: Registration] = [:]
    /// The clients read from the document at their identifier.
    var documents: [String: SandboxClient] = [:]
    /// The used client assertions, with the time until which each is remembered.
    var assertions: [String: Timestamp] = [:]
    /// The keys of the identity providers that are accepted, by issuer.
    var trustedKeys: [String: [VerifyingKey]] = [:]
    var proofRecords: [ProofVerifier: ProofRecords] = [:]
    var interactions: [String: Interaction] = [:]
    /// The scopes that each user has consented to, by user name and client.
    var consents: [Consent: ScopeSet] = [:]
    /// The client and user that each ID token was issued to, for `id_token_hint`.
    var idTokens: [String: Consent] = [:]

    struct Consent: Hashable {
        var username: String
        var clientID: String
    }

    init(configuration: SandboxConfiguration, port: Int, clockOffset: ClockOffset, log: RequestLog) throws {
        self.configuration = configuration
        self.clockOffset = clockOffset
        origin = configuration.publicOrigin ?? "http://127.0.0.1:\(port)"
        issuer = origin + configuration.issuerPath
        self.log = log
        grants = Grants(
            rules: Grants.Rules(
                lifetimes: configuration.lifetimes, refreshTokens: configuration.refreshTokens, rotation: configuration.rotation,
                clients: configuration.clients.reduce(into: [:]) { $0[$1.id] = $1.lifetimes }),
            makeName: Self.makeName)
        keys = try KeyRing(generation: 1, identifierPrefix: "sandbox-\(port)")
        users = configuration.users
        faultSet = configuration.faultSet
        autoApproves = configuration.autoApproves
    }

    /// Returns 256 random bits, in base64url.
    static func makeName() -> String { SandboxBase64.url([UInt8].random(count: 32)) }

    /// The provider's own time.
    var now: Timestamp { configuration.time.now + clockOffset.value }

    /// The issuer's path, which precedes the path of every endpoint.
    nonisolated var base: String { configuration.issuerPath }

    /// A URL of another origin that a careful client never requests. It leads to this server, so that the log shows such a request.
    nonisolated var elsewhere: String { origin.replacingFirst("127.0.0.1", with: "localhost") + "/elsewhere" }

    nonisolated var cookieName: String {
        // Browsers send a cookie to every port of a host, so the port is part of the name.
        "yett_sandbox_" + origin.split(separator: ":").suffix(1).joined()
    }

    func user(_ username: String) -> SandboxUser? { users.first { $0.username == username } }
    func client(_ id: String) -> SandboxClient? {
        configuration.clients.first { $0.id == id } ?? registrations[id]?.client ?? documents[id]
    }

    nonisolated var routes: [Route] {
        let at = { [base] (path: String) in base + path }
        return [
            Route("GET", path: at("/.well-known/openid-configuration")) { await self.metadata($0, kind: .openID) },
            Route("GET", path: "/.well-known/oauth-authorization-server" + base) { await self.metadata($0, kind: .oauth) },
            Route("GET", path: at("/jwks")) { await self.keySet($0) },
            Route("GET", "POST", path: at("/authorize")) {
                await self.readClient(of: $0)
                return await self.authorize($0)
            },
            Route("GET", path: at("/continue")) { await self.resume($0) },
            Route("POST", path: at("/sign-in")) { await self.signIn($0) },
            Route("POST", path: at("/choose-account")) { await self.chooseAccount($0) },
            Route("POST", path: at("/consent")) { await self.consent($0) },
            Route("GET", "POST", path: at("/sign-up")) { await self.signUp($0) },
            Route("POST", path: at("/par")) {
                await self.readClient(of: $0)
                return await self.pushedAuthorization($0)
            },
            Route("POST", path: at("/device_authorization")) {
                await self.readClient(of: $0)
                return await self.deviceAuthorization($0)
            },
            Route("GET", "POST", "DELETE", path: at("/register")) { await self.registration($0) },
            Route("GET", "POST", path: at("/device")) { await self.devicePage($0) },
            Route("POST", path: at("/token")) {
                await self.readKeys(for: $0)
                return await self.token($0)
            },
            Route("POST", path: at("/revoke")) { await self.revoke($0) },
            Route("POST", path: at("/introspect")) { await self.introspect($0) },
            Route("GET", "POST", path: at("/userinfo")) { await self.userInfo($0) },
            Route("GET", "POST", path: at("/logout")) { await self.endSession($0) },
            Route("GET", "POST", path: at(Resource.hello.rawValue)) { await self.hello($0) },
            Route("GET", "POST", path: at(Resource.tools.rawValue)) { await self.tools($0) },
            Route("GET", "POST", path: at(Resource.vault.rawValue)) { await self.vault($0) },
            Route("GET", path: at("/")) { await self.home($0) },
            Route("GET", path: "/__log") { await self.requestLog($0) },
            Route("GET", "POST", path: "/elsewhere") { _ in .json(["elsewhere": true]) },
        ]
            + Resource.allCases.map { resource in
                Route("GET", path: Self.resourceMetadataPath + base + resource.rawValue) { _ in await self.resourceMetadata(resource) }
            }
    }

    /// Fault point: a whole response.
    ///
    /// A fault that replaces the response takes effect before any work is done, so that the client can retry; a fault that corrupts the
    /// response takes effect after it.
    func answering(_ endpoint: Fault.Endpoint, _ honest: () -> SandboxResponse) -> SandboxResponse {
        let faults = faultSet.consumeFaults(TransportFault.self) { .transport(endpoint, $0) }
        if let first = faults.first(where: \.replacesResponse) { return first.apply(SandboxResponse(status: 200), elsewhere: elsewhere) }
        return faults.reduce(honest()) { $1.apply($0, elsewhere: elsewhere) }
    }

    /// Fault point: the members of a metadata document.
    func applyingFaults(metadata document: JSONValue, kind: SandboxConfiguration.Metadata) -> JSONValue {
        faultSet.consumeFaults(DiscoveryFault.self, as: Fault.discovery).reduce(document) { $1.apply($0, kind: kind) }
    }

    /// Fault point: the keys of the key set.
    func applyingFaults(keySet document: JSONValue) -> JSONValue {
        faultSet.consumeFaults(KeySetFault.self, as: Fault.keys).reduce(document) { $1.apply($0) }
    }

    /// Fault point: an ID token before it is signed.
    func applyingFaults(idToken draft: TokenDraft, isRefreshed: Bool) -> TokenDraft {
        let faults = faultSet.consumeFaults(IDTokenFault.self) { isRefreshed ? .refreshedIDToken($0) : .idToken($0) }
        return faults.reduce(draft) { $1.apply($0, now: now, keys: keys, elsewhere: elsewhere) }
    }

    /// Fault point: the claims of userinfo.
    func applyingFaults(userInfo claims: JSONValue, answer: (JSONValue) -> SandboxResponse) -> SandboxResponse {
        let faults = faultSet.consumeFaults(UserInfoFault.self, as: Fault.userInfo)
        return faults.lazy.compactMap(\.refusal).first ?? answer(faults.reduce(claims) { $1.apply($0, elsewhere: elsewhere) })
    }
}

/// The controls that the server's owner uses.
extension OpenIDProvider {
    func set(_ faultSet: FaultSet) { self.faultSet = faultSet }
    func set(autoApproves username: String?) { autoApproves = username }
    func advance(by duration: Duration) { clockOffset.add(duration) }
    func rotateKeys() throws { keys = try keys.next() }
    func forgetClients() { registrations = [:] }
    func revokeEverything() { grants.revokeAll() }

    /// Approves or denies a waiting device with the code `userCode`, as the user at its verification page does; `nil` denies.
    ///
    /// - Returns: Whether a device waits with this code and the user exists.
    func decide(userCode: String, as username: String?) -> Bool {
        guard let waiting = grants.waitingDevice(userCode: userCode, now: now) else { return false }
        let request = authorization(for: waiting.device, code: waiting.code)
        guard let username else {
            _ = refuse(request, ErrorReply("access_denied", "the user denied the request"))
            return true
        }
        guard user(username) != nil else { return false }
        _ = approve(request, username: username, scopes: request.scopes, browser: nil, since: now)
        return true
    }

    /// Adds a user, or replaces the user of that name.
    func add(_ user: SandboxUser) {
        users.removeAll { $0.username == user.username }
        users.append(user)
    }
}

extension TransportFault {
    /// Whether the fault replaces the response, so that no work is done.
    var replacesResponse: Bool {
        switch self {
        case .closed, .hanging, .notFound, .serverError, .unavailable, .html, .empty400, .redirect302, .redirect307: true
        case .notJSON, .array, .plainText, .duplicateMember, .oversize, .gzipBomb: false
        }
    }
}
