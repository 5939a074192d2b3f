import AuthModel

/// OpenWeb's gateway, the publisher's backend, and the calls between them.
///
/// The page "OpenWeb" of this module's documentation says which parts are public and which are invented here.
actor OpenWebGateway: ProviderBehaviour {
    let serverState: VendorServerState<OpenWebSettings>
    /// The sessions, by their Authorization.
    var sessions: [String: Session] = [:]
    /// The Authorization that each code A was issued to.
    var codesA: [String: String] = [:]
    /// The user of each code B, and the code A that it answers.
    var codesB: [String: (username: String, codeA: String)] = [:]
    /// The user of each of the publisher's tokens.
    var publisherTokens: [String: String] = [:]
    /// The display names that the publisher sent, by user name.
    var displayNames: [String: String] = [:]
    private var guestCount = 0

    /// The publisher's secret for `register-user`; only the backend has it.
    static let publisherSecret = "sandbox-publisher-secret"
    static let authorizationField = "Authorization"
    static let identifierField = "x-guid"
    static let tokenField = "x-openweb-token"

    struct Session {
        /// The user name; `nil` for a guest.
        var username: String?
        var userID: String
        var endsAt: Timestamp
        var isRegistered: Bool
    }

    init(serverState: VendorServerState<OpenWebSettings>) { self.serverState = serverState }

    nonisolated var settings: OpenWebSettings { serverState.settings }
    nonisolated var now: Timestamp { serverState.now }

    nonisolated var routes: [Route] {
        [
            Route("POST", path: "/user/login") { await self.logIn($0) },
            Route("POST", path: "/user/data") { await self.userData($0) },
            Route("POST", path: "/user/logout") { await self.logOut($0) },
            Route("POST", path: "/user/sso/start") { await self.start($0) },
            Route("POST", path: "/user/sso/complete") { await self.complete($0) },
            Route("POST", path: "/user/sso/provider") { await self.provider($0) },
            Route("GET", path: "/config/get/{spot}/default") { self.siteConfiguration($0) },
            Route("POST", path: "/conversation/read") { await self.read($0) },
            Route("POST", path: "/comment") { await self.comment($0) },
            Route("POST", path: "/like") { await self.like($0) },
            Route("POST", path: "/api/login") { await self.publisherLogin($0) },
            Route("POST", path: "/api/spotim-sso") { await self.publisherCode($0) },
            Route("GET", path: "/api/sso/v1/register-user") { await self.registerUser($0) },
            Route("GET", path: "/api/sso/v1/update-user") { await self.updateUser($0) },
        ]
    }

    // MARK: Sessions

    /// Returns a new Authorization for a guest.
    func openGuest() -> String {
        guestCount += 1
        return open(Session(username: nil, userID: "guest-\(guestCount)", endsAt: now + settings.tokenLifetime, isRegistered: false))
    }

    func open(_ session: Session) -> String {
        let authorization = OpenIDProvider.makeName()
        sessions[authorization] = session
        return authorization
    }

    /// The reason for refusing a request.
    enum Refusal: Error {
        case noSite
        case badAuthorization
        case notForGuests

        var answer: SandboxResponse {
            switch self {
            case .noSite: .json(["error": "unknown spot"], status: 400)
            case .badAuthorization: .json(["error": "forbidden"], status: 403)
            case .notForGuests: .json(["error": "registration required"], status: 403)
            }
        }
    }

    /// Returns the session of a request; `nil` if it has no Authorization.
    func session(of request: SandboxRequest) throws(Refusal) -> (authorization: String, session: Session)? {
        guard request.header("x-spot-id") == settings.spotID else { throw .noSite }
        guard let authorization = request.header(Self.authorizationField) else { return nil }
        guard let session = sessions[authorization], session.endsAt > now, !settings.refusedAuthorizations.contains(authorization) else {
            throw .badAuthorization
        }
        if session.username != nil, settings.refusals403 != 0 {
            if settings.refusals403 > 0 { serverState.change { $0.refusals403 -= 1 } }
            sessions[authorization] = nil
            throw .badAuthorization
        }
        return (authorization, session)
    }

    /// Returns a response with the headers that the client must send from now on.
    func answer(_ document: JSONValue, to request: SandboxRequest, authorization: String?) -> SandboxResponse {
        var fields: [(name: String, value: String)] = []
        if let authorization {
            fields.append((Self.authorizationField, authorization))
            if let token = settings.token { fields.append((Self.tokenField, token)) }
        }
        if let identifier = request.header(Self.identifierField) { fields.append((Self.identifierField, identifier)) }
        return .json(document, headers: fields)
    }

    /// Returns a response to a valid Authorization; replaces the Authorization if the settings say so.
    func answer(_ document: JSONValue, to request: SandboxRequest, of sender: (authorization: String, session: Session)) -> SandboxResponse
    {
        guard settings.rotatesAuthorization else { return answer(document, to: request, authorization: nil) }
        sessions[sender.authorization] = nil
        return answer(document, to: request, authorization: open(sender.session))
    }

    func document(of session: Session) -> JSONValue {
        let user = session.username.flatMap(VendorServerState<OpenWebSettings>.user)
        let name = user.map { displayNames[$0.username] ?? $0.name } ?? "Guest"
        return [
            "id": .string(session.userID), "user_id": .string(session.userID), "display_name": .string(name),
            "user_name": .string(session.username ?? session.userID), "image_id": "", "registered": .bool(session.isRegistered),
            "is_admin": false, "is_moderator": false, "is_super_admin": false, "is_journalist": false, "is_muted": false,
            "badge_type": "", "points": 0, "token_expiration": .number(session.endsAt.seconds), "sso_data": ["is_subscriber": false],
            "sso_primary_key": user.map { .string($0.subject) } ?? .null,
        ]
    }

    /// Returns the body as a JSON object; an invalid one counts as empty.
    nonisolated func body(of request: SandboxRequest) -> JSONValue {
        (try? JSONValue(strict: String(decoding: request.body, as: UTF8.self))) ?? .object([])
    }

    // MARK: Users

    func logIn(_ request: SandboxRequest) -> SandboxResponse {
        guard request.header("x-spot-id") == settings.spotID else { return Refusal.noSite.answer }
        let authorization = openGuest()
        return answer(sessions[authorization].map(document(of:)) ?? .null, to: request, authorization: authorization)
    }

    /// Returns the user; without an Authorization, opens a guest session, as `login` does.
    func userData(_ request: SandboxRequest) -> SandboxResponse {
        do throws(Refusal) {
            guard let sender = try session(of: request) else { return logIn(request) }
            return answer(document(of: sender.session), to: request, of: sender)
        } catch {
            return error.answer
        }
    }

    func logOut(_ request: SandboxRequest) -> SandboxResponse {
        do throws(Refusal) {
            if let sender = try session(of: request) { sessions[sender.authorization] = nil }
            return answer([:], to: request, authorization: nil)
        } catch {
            return error.answer
        }
    }

    nonisolated func siteConfiguration(_ request: SandboxRequest) -> SandboxResponse {
        guard request.segments["spot"] == settings.spotID else { return .notFound }
        return .json([
            "init": [
                "sso_enabled": .bool(settings.isSSOEnabled), "sso_started_by_spotim": false, "connectNetworks": [],
                "policy.forceRegister": .bool(settings.forcesRegistration), "policy.allowGuestsToLike": .bool(settings.allowsGuestLikes),
            ]
        ])
    }

    // MARK: Actions

    func read(_ request: SandboxRequest) -> SandboxResponse { act(request, isForGuests: true) }
    func comment(_ request: SandboxRequest) -> SandboxResponse { act(request, isForGuests: !settings.forcesRegistration) }
    func like(_ request: SandboxRequest) -> SandboxResponse { act(request, isForGuests: settings.allowsGuestLikes) }

    private func act(_ request: SandboxRequest, isForGuests: Bool) -> SandboxResponse {
        do throws(Refusal) {
            guard let sender = try session(of: request) else { throw .badAuthorization }
            guard isForGuests || sender.session.isRegistered else { throw .notForGuests }
            return answer(["done": true, "by": .string(sender.session.userID)], to: request, of: sender)
        } catch {
            return error.answer
        }
    }
}
