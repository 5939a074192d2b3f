import AuthModel
import Synchronization

/// The service of the restricted socket: it lists the forwarded sessions and issues their tokens, and refuses everything else.
///
/// Its callers are on other machines, where other people may be administrators. So none of them can lock or stop the agent, sign in or out,
/// read another session, or give the consent that the policy of a provider asks the user for. They get the tokens as they are at home: they
/// choose no validity and no scopes, force no renewal, and neither unlock the store nor keep it unlocked.
struct ForwardedService: RequestAnswering {
    let service: AgentService
    let forwarded: ForwardedSessions
    /// Returns the user and the machine of the agent, for the far side to show: `ada@laptop`. Asked only when needed, because the names of
    /// users may come from a server.
    let owner: @Sendable () -> String
    private let limits: ForwardedLimits

    init(service: AgentService, forwarded: ForwardedSessions, owner: @escaping @Sendable () -> String) {
        self.service = service
        self.forwarded = forwarded
        self.owner = owner
        limits = ForwardedLimits(time: service.time)
    }

    /// Returns false: each request needs the list of the sessions.
    func isAnsweredOnLoop(_ request: AgentRequest) -> Bool { false }

    /// Returns nil: each request is checked.
    func cachedAnswer(_ request: AgentRequest) -> AgentResponse? { nil }

    func answer(_ request: AgentRequest) async -> AgentResponse {
        var request = request
        // The other machine has other paths.
        (request.store, request.configuration) = (nil, nil)
        guard case .entry(let entry, _) = AgentRouter.shared.match(method: request.method, path: request.path),
            entry.route.rules.contains(.isForwarded)
        else { return .failure(Self.refusal, status: 403) }
        do throws(AuthFailure) {
            try limits.count(request.caller.process)
            // The status and the seal show nothing of a session: the seal tells the far side why there is no token.
            guard ![.agent, ReadSeal.route].contains(entry.route) else {
                return await reduced(service.answer(request), of: entry.route)
            }
            if let refusal = service.refusal(of: request) { return refusal }
            return try await answer(entry.route, request.members(of: entry.route, variable: nil), for: request.caller)
        } catch {
            return .failure(error)
        }
    }

    static let refusal = AuthFailure(.denied(code: nil), "agent.socket_is_restricted", hint: "hint.run_on_the_home_machine")

    private func answer(_ route: OperationRoute, _ members: JSONValue, for caller: Caller) async throws(AuthFailure) -> AgentResponse {
        let offered = try await sessions()
        switch route {
        case IssueToken.route:
            var wanted = try IssueToken(requestMembers: members).request
            let session = try await resolved(wanted.session, among: offered)
            wanted.session = session.name
            // Only the user at the agent's machine may consent, and only that machine asks them.
            wanted.consent = nil
            wanted.asking = .service
            // All programs of that machine ask through the same process of ssh.
            wanted.repetitionMeansRefusal = false
            // The login of another user must not be tried from here.
            wanted.webServerLogin = nil
            try await requireUnlocked()
            return .reply(to: IssueToken.self, try await issue(wanted, of: session, to: caller))
        case CreateProof.route:
            var wanted = try CreateProof(requestMembers: members).request
            wanted.session = try await resolved(wanted.session, among: offered).name
            try await requireUnlocked()
            return .reply(to: CreateProof.self, try await service.proof(wanted, to: caller, isForwarded: true))
        case ListProviders.route:
            let names = Set(offered.map(\.name))
            let providers = try await service.sessionService.providers().filter { provider in
                names.contains { $0.provider == provider.name }
            }
            return .reply(to: ListProviders.self, providers.map { $0.reduced(to: names) })
        case ListSessions.route: return .reply(to: ListSessions.self, offered.map(\.reduced))
        default: return .failure(Self.refusal, status: 403)
        }
    }

    /// Issues a token as the session has it. A renewal happens only if the token is about to expire, or for an audience that the
    /// configuration lists, and rarely.
    private func issue(
        _ request: TokenRequest, of session: SessionSummary, to caller: Caller
    ) async throws(AuthFailure) -> IssuedToken {
        var request = request
        request.isForwarded = true
        request.refused = nil
        request.minimumValidity = min(request.minimumValidity, SessionSummary.freshness)
        let restrictions = request.restrictions
        guard restrictions.scopes.isEmpty || Set(restrictions.scopes.values) == Set(session.scopes.values) else {
            throw AuthFailure(
                .denied(code: "invalid_scope"), UserMessage("agent.forwarded_scopes_fixed", ["session": session.name]),
                hint: "hint.leave_out_scope_option")
        }
        if let audience = restrictions.audience, !forwarded.audiences(of: session.name.provider).contains(audience) {
            throw AuthFailure(
                .denied(code: "invalid_target"),
                UserMessage("agent.forwarded_audience_not_listed", ["session": session.name, "audience": audience.prefix(bytes: 200)]),
                hint: UserMessage("hint.list_resource_at_home", ["provider": session.name.provider]))
        }
        request.restrictions = TokenRestrictions(audience: restrictions.audience)
        let expiresSoon = session.accessExpiresAt.map { $0 - service.time.now < request.minimumValidity } ?? false
        let mayNeedRenewal = request.mayRenew && (expiresSoon || restrictions.audience != nil || request.wanted == .id)
        guard mayNeedRenewal, !limits.takeRenewal(of: session.name) else { return try await service.issue(request, to: caller) }
        (request.mayRenew, request.minimumValidity) = (false, .zero)
        do throws(AuthFailure) {
            return try await service.issue(request, to: caller)
        } catch {
            throw error.kind == .signInAgain && session.isRenewable ? limits.renewalTooSoon(session.name) : error
        }
    }

    /// Throws if the store is locked. It is not unlocked, even if that needs no passphrase: only a program at home counts as its use.
    private func requireUnlocked() async throws(AuthFailure) {
        guard try await service.sessionService.storeState() != .unlocked else { return }
        throw AuthFailure(.configuration, UserMessage("agent.home_store_locked", ["owner": owner()]), hint: "hint.unlock_at_home")
    }

    private func sessions() async throws(AuthFailure) -> [SessionSummary] {
        let all = try await service.sessionService.sessions()
        // Read after the sessions, because listing them notices a changed configuration.
        let patterns = forwarded.patterns
        let standard = try await standardAccounts()
        let names = Set(patterns.flatMap { pattern in pattern.sessions(among: all) { standard[$0] }.map(\.name) })
        return all.filter { names.contains($0.name) }
    }

    private func standardAccounts() async throws(AuthFailure) -> [ProviderName: String] {
        var accounts: [ProviderName: String] = [:]
        for provider in try await service.sessionService.providers() { accounts[provider.name] = provider.defaultAccount }
        return accounts
    }

    /// Returns the forwarded session that a name means. A session that is not forwarded does not exist here.
    private func resolved(_ name: SessionName, among offered: [SessionSummary]) async throws(AuthFailure) -> SessionSummary {
        let own = offered.filter { $0.name.provider == name.provider }
        let found = name.account == nil ? own : own.filter { $0.name == name }
        guard let first = found.first else { throw try await absence(of: name) }
        guard found.count > 1 else { return first }
        let standard = try await standardAccounts()[name.provider]
        if let standard, let chosen = found.first(where: { $0.name.account == standard }) { return chosen }
        throw found.ambiguity(at: name.provider)
    }

    /// Returns the failure for a name that means no forwarded session.
    private func absence(of name: SessionName) async throws(AuthFailure) -> AuthFailure {
        let isSignedIn = try await service.sessionService.sessions().contains { $0.name.provider == name.provider }
        guard !isSignedIn, forwarded.patterns.contains(where: { $0.covers(name) }) else {
            return AuthFailure(.notSignedIn, UserMessage("agent.session_not_forwarded", ["session": name]), hint: "hint.set_agent_forward")
        }
        return AuthFailure(
            .notSignedIn, UserMessage("agent.home_not_signed_in", ["owner": owner(), "session": name]),
            hint: UserMessage("hint.sign_in_at_home", ["session": name]))
    }

    /// Returns the status without the paths of this machine, and with its name.
    private func reduced(_ answer: AgentResponse, of route: OperationRoute) -> AgentResponse {
        guard route == .agent, case .document(200, let bytes) = answer, let status = try? JSONValue(strict: bytes) else { return answer }
        let members = (status.members ?? []).map { (member) -> JSONValue.Member in
            switch member.name {
            case "store", "configuration": .init(member.name, "")
            // Not absent, which an older agent's are.
            case "trusted_files": .init(member.name, .array([]))
            default: member
            }
        }
        return .json(.object(members + [.init("forwarded_by", .string(owner()))]))
    }
}

extension ProviderSummary {
    /// Returns the provider with only the accounts of these sessions.
    fileprivate func reduced(to names: Set<SessionName>) -> ProviderSummary {
        var reduced = self
        reduced.accounts = accounts.filter { account in names.contains { $0.provider == name && $0.account == account } }
        if let active = defaultAccount, !reduced.accounts.contains(active) { reduced.defaultAccount = nil }
        if let base, !names.contains(base) { reduced.base = nil }
        return reduced
    }
}

extension SessionSummary {
    /// The session without what its user does at home.
    fileprivate var reduced: SessionSummary {
        var reduced = self
        (reduced.subject, reduced.lastUsedAt, reduced.lastUsedBy, reduced.warnings) = (nil, nil, nil, [])
        return reduced
    }
}

/// The limits on requests and renewals by the programs of another machine.
///
/// Another machine may have other administrators. Without limits it could fill the log, keep the provider busy, or use up refresh tokens.
final class ForwardedLimits: Sendable {
    private struct State {
        /// The requests that each connected process may still send, and when that was computed, on the boot clock.
        var requests: [Int32: (left: Double, at: Duration)] = [:]
        /// When a renewal of each session was last allowed, on the boot clock.
        var renewals: [SessionName: Duration] = [:]
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    /// The number of requests at once.
    static let burst = 100.0
    /// The number of requests per second after that.
    static let rate = 10.0
    /// The minimum time between two renewals of a session.
    static let renewalInterval = Duration.seconds(60)
    /// Maximum number of processes that are remembered.
    private static let limit = 256

    init(time: any TimeSource) { self.time = time }

    /// Counts a request of a process. Throws `.unavailable` if there were too many.
    func count(_ process: Int32) throws(AuthFailure) {
        let now = time.bootTime
        let isAllowed = state.withLock { state in
            let known = state.requests[process] ?? (Self.burst, now)
            let left = min(Self.burst, known.left + Double((now - known.at).wholeMilliseconds) / 1000 * Self.rate)
            if state.requests[process] == nil, state.requests.count >= Self.limit { state.requests.removeAll() }
            state.requests[process] = (max(0, left - 1), now)
            return left >= 1
        }
        guard !isAllowed else { return }
        throw AuthFailure(
            .unavailable(retryAfter: .seconds(1)), "agent.too_many_requests", hint: UserMessage("hint.try_again_in_seconds", ["seconds": 1])
        )
    }

    /// Takes the session's turn for a renewal. Returns false if it was taken less than ``renewalInterval`` ago.
    func takeRenewal(of session: SessionName) -> Bool {
        let now = time.bootTime
        return state.withLock { state in
            state.renewals = state.renewals.filter { now - $0.value < Self.renewalInterval }
            guard state.renewals[session] == nil else { return false }
            state.renewals[session] = now
            return true
        }
    }

    /// Returns the failure of a request that needs a renewal now, whose turn was taken.
    func renewalTooSoon(_ session: SessionName) -> AuthFailure {
        let last = state.withLock { $0.renewals[session] } ?? time.bootTime
        let pause = max(.seconds(1), last + Self.renewalInterval - time.bootTime)
        return AuthFailure(
            .unavailable(retryAfter: pause), UserMessage("agent.forwarded_renewal_too_soon", ["session": session]),
            hint: UserMessage("hint.try_again_in_seconds", ["seconds": pause.wholeSeconds]))
    }
}
