internal import Agent
internal import AuthEngine
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// What the demo does at its start, as the test providers name it: the same for everything that shows the demo's sessions.
struct DemoSeed: Equatable, Sendable {
    /// A sign-in to make.
    struct SignIn: Equatable, Sendable {
        let provider: ProviderName
        let user: String
        let password: String
    }

    /// The use of a token, or a renewal.
    struct Event: Equatable, Sendable {
        /// The time between the event and the start of the demo.
        var ago = Duration.zero
        let session: SessionName
        /// The program that uses the token; `nil` for a renewal.
        let program: String?
        var count = 1

        /// Returns the record of the activity log.
        func record(at start: Timestamp) -> ActivityRecord {
            let at = start - ago
            guard let program else {
                return ActivityRecord(Activity(at: at, kind: .renewed, session: session, message: "renewal.done"))
            }
            let path = "/usr/bin/\(program)"
            let message = TokenRequest(session: session, caller: .verbatim(path)).issuedMessage
            return ActivityRecord(Activity(at: at, kind: .issued, session: session, message: message, count: count), program: path)
        }
    }

    let signIns: [SignIn]
    /// The session whose renewal is tried, and refused.
    let refused: SessionName?
    /// The tokens to issue.
    let uses: [Event]
    /// A day of history, the oldest first.
    let history: [Event]

    /// Reads a seed; leaves out what is incomplete.
    init(_ json: JSONValue?) {
        func list(_ name: String) -> [JSONValue] { json?[name]?.array ?? [] }
        signIns = list("sign_ins").compactMap { entry in
            guard let provider = entry["provider"]?.string.flatMap({ ProviderName($0) }), let user = entry["user"]?.string,
                let password = entry["password"]?.string
            else { return nil }
            return SignIn(provider: provider, user: user, password: password)
        }
        refused = json?["refused"]?.string.flatMap { SessionName($0) }
        uses = list("uses").compactMap(Self.event)
        history = list("history").compactMap(Self.event)
    }

    private static func event(_ entry: JSONValue) -> Event? {
        guard let session = entry["session"]?.string.flatMap({ SessionName($0) }) else { return nil }
        return Event(
            ago: .seconds(entry["seconds_ago"]?.integer ?? 0), session: session, program: entry["program"]?.string,
            count: Int(entry["count"]?.integer ?? 1))
    }
}

/// Fills the demo's home from its seed: opens the sessions by real sign-ins at the test providers, and writes the history to the activity
/// log.
struct DemoPlanting: Sendable {
    let seed: DemoSeed
    let context: CommandContext
    let service: AgentSessionService

    /// Makes all sign-ins at the same time, then has the sessions used, renewed and refused. A failed one is left out.
    func run() async {
        let log = context.activityLog()
        for event in seed.history { log.append(event.record(at: context.now)) }
        await withTaskGroup(of: Void.self) { group in
            for signIn in seed.signIns { group.addTask { try? await self.make(signIn) } }
        }
        if let refused = seed.refused { _ = try? await service.renew(refused) }
        await openGuest()
        for use in seed.uses {
            let request = TokenRequest(session: use.session, caller: .verbatim("/usr/bin/\(use.program ?? "")"))
            guard (try? await service.token(request)) != nil else { continue }
            log.append(use.record(at: context.now))
        }
    }

    private func make(_ signIn: DemoSeed.SignIn) async throws(AuthFailure) {
        let attempt = try await service.signIn(SignInRequest(provider: signIn.provider, flow: .browser))
        for await event in attempt.events {
            guard case .available(.browser(let url, _)) = event else { continue }
            var visitor = DemoVisitor(transport: context.edges.transport, user: signIn.user, password: signIn.password)
            do throws(AuthFailure) {
                try await visitor.signIn(at: url)
            } catch {
                await service.cancel(attempt.id)
                throw error
            }
        }
    }

    /// Opens a guest's session at the vendor that has guests: by asking for a token of a resource.
    private func openGuest() async {
        let providers = (try? context.configurationFile().read())?.providers ?? []
        guard let provider = providers.first(where: { $0.labels.guestPrompt != nil }), let origin = provider.resourceHost,
            let session = SessionName(provider: provider.name, account: nil)
        else { return }
        var request = TokenRequest(session: session, caller: .verbatim("/usr/bin/curl"))
        request.resource = WebURL(origin)
        _ = try? await service.token(request)
    }
}

extension ProviderConfiguration {
    /// The address of the first host that gets the provider's tokens, at a test provider.
    fileprivate var resourceHost: String? { apiHosts.first.map { "http://\($0)/" } }
}
