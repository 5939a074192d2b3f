internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

/// Kind `openweb`: the conversations of one site on OpenWeb, whose publisher confirms the identity of its users.
///
/// There are no OAuth tokens. A session is the value of the header field `Authorization` in the gateway's answers. Guests have a session
/// too, and a sign-in turns a guest session into a user's.
struct OpenWebAdapter: ProviderAdapter {
    let configuration: ProviderConfiguration
    let settings: OpenWebConfiguration
    let environment: EngineEnvironment

    func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String> {
        guard purpose == .signIn else { return [] }
        let typed: Set<String> = if case .form? = publisher { ["username", "password"] } else { [] }
        return switch settings.voucher {
        case .codes: typed
        // The publisher is needed only if OpenWeb requires a code despite the JWT.
        case .jwt(let origin, _, let backend): (backend == nil ? [] : typed).union(origin == .user ? ["jwt"] : [])
        case .provider(_, let origin): origin == .user ? ["jwt"] : []
        }
    }

    func steps(of request: SignInRequest) -> [SignInStep] {
        guard request.purpose == .signIn else { return [] }
        return switch settings.voucher {
        case .codes: [.publisher, .guest, .codeA, .codeB, .complete, .seal]
        // Usually a JWT completes the sign-in. If it does not, the steps with codes are added when they begin.
        case .jwt: [.publisher, .guest, .codeA, .seal]
        case .provider: [.publisher, .guest, .complete, .seal]
        }
    }

    var address: String { settings.gateway.text }

    /// The substitute for an issuer: the gateway's URL and the site.
    var ownIssuer: String { settings.ownIssuer }

    func isOwn(_ record: SessionRecord) -> Bool { record.identity.issuer.hasSameBytes(as: ownIssuer) }

    var host: String { settings.gateway.origin.authority }

    var gateway: OpenWebClient { gateway(settings) }

    private func gateway(_ settings: OpenWebConfiguration) -> OpenWebClient {
        OpenWebClient(settings: settings, transport: environment.transport, caFile: configuration.caFile)
    }

    /// Returns the client for the gateway that a session was made at, even if another one is configured now.
    func gateway(of record: SessionRecord) -> OpenWebClient? {
        settings.at(issuer: record.identity.issuer, site: record.clientID).map(gateway)
    }

    var offersSignUp: Bool? { false }

    var promptsGuests: Bool { settings.promptsGuests }

    func canRenew(_ tokens: TokenSet) -> Bool { true }

    func priority(of session: SessionSummary, for resource: WebURL) -> Int? {
        // A user's session is preferred to a guest's.
        CredentialGate(configuration).admits(resource, issuer: session.issuer) ? (session.recordedState == .guest ? 0 : 1) : nil
    }

    func knownToken(for resource: WebURL, of record: SessionRecord, refused: Secret?) -> ResourceToken? {
        .own(fields: OpenWebExtras(record.extras).fields)
    }

    // MARK: The parts of a session

    /// Returns the tokens of a session at the gateway: the Authorization value, and when it expires.
    func tokens(_ state: OpenWebState, _ user: JSONValue) -> TokenSet? {
        guard let authorization = state.authorization else { return nil }
        // Without `token_expiration`, the expiry is unknown; 0 means expired. The first refusal shows whether the session is valid.
        let end = user["token_expiration"]?.double.map(Timestamp.init(seconds:))
        return TokenSet(
            accessToken: authorization, tokenType: "OpenWeb", accessExpiresAt: end, refreshToken: nil, refreshExpiresAt: nil, idToken: nil,
            scopes: [], receivedAt: environment.time.now)
    }

    /// Returns the identity of a user at the gateway.
    func identity(_ user: JSONValue) -> Identity? {
        guard let id = user.userID else { return nil }
        var members = user.members ?? []
        if let name = user["user_name"]?.string, !name.isEmpty { members.append(.init("preferred_username", .string(name))) }
        if let name = user["display_name"]?.string, !name.isEmpty { members.append(.init("name", .string(name))) }
        return Identity(issuer: ownIssuer, subject: id, userInfo: .object(members))
    }

    /// Returns a guest session. All guests of this installation are one account, because they have no identity of their own.
    func guestGrant(_ state: OpenWebState, _ user: JSONValue) throws(AuthFailure) -> SignInResult {
        guard let tokens = tokens(state, user) else { throw noAuthorization("phrase.openweb_starting_guest_session") }
        let identity = Identity(
            issuer: ownIssuer, subject: "guest",
            userInfo: ["preferred_username": "guest", "id": user.userID.map(JSONValue.string) ?? .null])
        return SignInResult(
            tokens: tokens, identity: identity, clientID: settings.spotID, state: .guest, extras: OpenWebExtras(state).json)
    }

    func noAuthorization(_ what: UserMessage) -> AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("openweb.no_authorization_sent", ["host": host, "action": what]),
            hint: "hint.openweb_check_gateway_url_and_spot_id")
    }

    // MARK: Guests

    func guest(after record: SessionRecord?) async throws(AuthFailure) -> SignInResult? {
        var state = OpenWebState(identifier: record.map { OpenWebExtras($0.extras).identifier })
        // As the vendor's own client does: it logs in once, and gets each later guest session with the user's data.
        let path = record == nil ? "/user/login" : "/user/data"
        let user = try await gateway.post(path, state: &state, when: "phrase.openweb_starting_guest_session")
        state.policy = await sitePolicy()
        return try guestGrant(state, user)
    }

    /// Fetches the site's policy; `nil` if the site does not answer, since no other step needs it. It is fetched again with the next
    /// session.
    func sitePolicy() async -> OpenWebPolicy? { (try? await gateway.siteConfiguration()).flatMap(OpenWebPolicy.init(site:)) }

    func check() async throws(AuthFailure) -> UserMessage? {
        _ = try await gateway.siteConfiguration()
        return UserMessage("openweb.site_exists", ["site": settings.spotID])
    }

    func capabilities(of record: SessionRecord) -> [SessionCapability] { OpenWebExtras(record.extras).policy?.actions ?? [] }

    var base: SessionName? { if case .session(let name)? = publisher { name } else { nil } }

    func base(of record: SessionRecord) -> SessionName? { OpenWebExtras(record.extras).base ?? base }

    /// Returns a warning if the user is signed in at only one of the publisher and OpenWeb.
    func mismatches(of session: SessionSummary, among sessions: [SessionSummary]) -> [UserMessage] {
        guard case .session(let name)? = publisher else { return [] }
        let isThere = sessions.contains { other in
            other.name.provider == name.provider && (name.account == nil || other.name.account == name.account)
                && !other.hasEnded(at: environment.time.now) && other.recordedState != .guest
        }
        switch (session.recordedState, isThere) {
        case (.signedIn, false):
            return [UserMessage("openweb.publisher_not_signed_in", ["session": name])]
        case (.guest, true):
            return [
                UserMessage("openweb.guest_but_publisher_signed_in", ["session": name, "provider": configuration.name])
            ]
        default: return []
        }
    }

    // MARK: Sign-out

    private static let logout = "/user/logout"

    func revocations(for record: SessionRecord) async -> [RevocationStep] {
        guard let tokens = record.tokens else { return [.nothing(.revokeAccessToken, reason: "phrase.session_already_ended")] }
        guard record.summary.recordedState != .guest else {
            return [.nothing(.revokeAccessToken, reason: "revocation.guest_needs_no_sign_out")]
        }
        guard let gateway = gateway(of: record), let url = WebURL(gateway.settings.gateway.text + Self.logout) else {
            return [.nothing(.revokeAccessToken, reason: "openweb.gateway_without_url")]
        }
        return [.revoking(.revokeAccessToken, tokens.accessToken, of: record, at: url, extras: record.extras)]
    }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) {
        var state = OpenWebState(authorization: revocation.token, extras: OpenWebExtras(revocation.extras))
        // Send it to the gateway that issued the session, for its site.
        var settings = settings
        guard revocation.endpoint.text.hasSuffix(Self.logout),
            let gateway = WebURL(String(revocation.endpoint.text.dropLast(Self.logout.count)))
        else { throw AuthFailure(.configuration, UserMessage("openweb.session_gateway_without_url", ["session": revocation.session])) }
        settings.gateway = gateway
        settings.spotID = revocation.clientID
        do throws(AuthFailure) {
            _ = try await self.gateway(settings).post(Self.logout, state: &state, when: "phrase.openweb_signing_out")
        } catch  where error.kind == .denied(code: "403") {
            // The session has already ended.
        }
    }

    // MARK: Features that a gateway does not have

    var hasBrowserSession: Bool { false }
}

extension JSONValue {
    /// The ID of a user at OpenWeb; older answers call it `user_id`.
    var userID: String? {
        (self["id"]?.string ?? self["user_id"]?.string).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the user has an account.
    var isRegistered: Bool { self["registered"]?.bool == true }
}
