internal import Agent
internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import OperatingSystem
internal import Synchronization
internal import UserConfiguration

/// The events in the demo before it opens, as the test providers name it: the same for everything that shows the demo's sessions.
struct DemoSeed: Sendable {
    /// A sign-in to make.
    struct SignIn: Sendable {
        let provider: ProviderName
        let user: String
        let password: String
        /// The label of the account; `nil` for the default label.
        let account: String?
    }

    /// The use of a token or of a role's credentials, or a renewal.
    struct Event: Sendable {
        let session: SessionName
        /// The program that uses the token; `nil` for a renewal.
        let program: String?
        var count = 1
        /// The role whose credentials are used in place of the token.
        var role: AccountRole?

        /// The request for a token by the event's program.
        var request: TokenRequest { TokenRequest(session: session, caller: .verbatim(path)) }

        private var path: String { "/usr/bin/\(program ?? "")" }

        /// Returns the record of the activity log.
        func record(at moment: Timestamp) -> ActivityRecord {
            guard program != nil else {
                return ActivityRecord(Activity(at: moment, kind: .renewed, session: session, message: "renewal.done"))
            }
            let message = (role.map { IssueRoleCredentials(of: $0, request).namedRequest } ?? request).issuedMessage
            return ActivityRecord(Activity(at: moment, kind: .issued, session: session, message: message, count: count), program: path)
        }
    }

    /// Something that happens.
    enum Step: Sendable {
        case signIn(SignIn)
        /// The provider refuses one of the renewals.
        case renewal(SessionName)
        /// A token, or a role's credentials, are issued.
        case use(Event)
        /// A use or a renewal that is only written to the log.
        case record(Event)
    }

    /// The events, each with the seconds between it and the start of the demo; the oldest first.
    let steps: [(secondsAgo: Int64, step: Step)]

    /// Reads a seed; leaves out what is incomplete.
    init(_ json: JSONValue?) {
        func steps(_ name: String, _ make: (JSONValue) -> Step?) -> [(secondsAgo: Int64, step: Step)] {
            (json?[name]?.array ?? []).compactMap { entry in make(entry).map { (entry["seconds_ago"]?.integer ?? 0, $0) } }
        }
        let signIns = steps("sign_ins") { entry in
            guard let provider = entry["provider"]?.string.flatMap({ ProviderName($0) }), let user = entry["user"]?.string,
                let password = entry["password"]?.string
            else { return nil }
            return .signIn(SignIn(provider: provider, user: user, password: password, account: entry["account"]?.string))
        }
        let renewals = steps("renewals") { Self.event($0).map { .renewal($0.session) } }
        let uses = steps("uses") { Self.event($0).map { .use($0) } }
        let history = steps("history") { Self.event($0).map { .record($0) } }
        self.steps = (signIns + renewals + uses + history).sorted { $0.secondsAgo > $1.secondsAgo }
    }

    private static func event(_ entry: JSONValue) -> Event? {
        guard let session = entry["session"]?.string.flatMap({ SessionName($0) }) else { return nil }
        return Event(
            session: session, program: entry["program"]?.string, count: Int(entry["count"]?.integer ?? 1),
            role: entry["role"]?.string.flatMap(AccountRole.init(text:)))
    }
}

/// The time of the demo before it opens: some days ago, and later with each step.
private final class DemoTime: TimeSource {
    private let time: any TimeSource
    private let ago = Mutex(Duration.zero)

    init(_ time: any TimeSource) { self.time = time }

    var now: Timestamp { time.now - ago.withLock { $0 } }
    var bootTime: Duration { time.bootTime }
    func sleep(until deadline: Duration) async throws { try await time.sleep(until: deadline) }

    func set(ago: Duration) { self.ago.withLock { $0 = ago } }
}

/// Fills the demo's home from its seed: opens the sessions by real sign-ins at the test providers, renews and uses them, each at its time
/// by the clocks of the provider and of the session service, and writes the history to the activity log.
struct DemoPlanting: Sendable {
    private let sandbox: RunningSandbox
    private let context: CommandContext
    private let service: AgentSessionService
    private let time: DemoTime

    /// Fills the home of a context, with a session service of its own, whose clock is not the present one.
    static func plant(_ sandbox: RunningSandbox, in home: CommandContext) async throws(AuthFailure) {
        var edges = home.edges
        let time = DemoTime(edges.time)
        edges.time = time
        let context = CommandContext(edges: edges, options: home.options, console: home.console)
        let service = try await context.agentSessionService(
            log: context.activityLog(), forwarded: ForwardedSessions([]), oidcAgent: OIDCAgentSetting())
        await DemoPlanting(sandbox: sandbox, context: context, service: service, time: time).plant()
        await service.end()
        await service.shutDown()
    }

    /// Makes all steps in their order. A failed one is left out.
    private func plant() async {
        let log = context.activityLog()
        for (secondsAgo, step) in sandbox.seed.steps {
            time.set(ago: .seconds(secondsAgo))
            if case .record(let event) = step {
                log.append(event.record(at: context.now))
                continue
            }
            await sandbox.setClock(secondsAgo: secondsAgo)
            switch step {
            case .record: break
            case .signIn(let signIn): try? await make(signIn)
            case .renewal(let session): _ = try? await service.renew(session)
            case .use(let use):
                if (try? await issue(use)) != nil { log.append(use.record(at: context.now)) }
            }
        }
        time.set(ago: .zero)
        await sandbox.setClock(secondsAgo: 0)
        await openGuest()
    }

    private func issue(_ use: DemoSeed.Event) async throws(AuthFailure) {
        guard let role = use.role else { return _ = try await service.token(use.request) }
        _ = try await service.perform(IssueRoleCredentials(of: role, use.request))
    }

    private func make(_ signIn: DemoSeed.SignIn) async throws(AuthFailure) {
        let attempt = try await service.signIn(SignInRequest(provider: signIn.provider, account: signIn.account, flow: .browser))
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
        guard let issued = try? await service.token(request) else { return }
        context.activityLog().append(DemoSeed.Event(session: issued.session, program: "curl").record(at: context.now))
    }
}

extension ProviderConfiguration {
    /// The address of the first host that gets the provider's tokens, at a test provider.
    fileprivate var resourceHost: String? { apiHosts.first.map { "http://\($0)/" } }
}

/// A user's browser at the test providers: keeps cookies, follows redirects, and fills in the forms for signing in and consenting.
struct DemoVisitor {
    let transport: any HTTPTransport
    let user: String
    let password: String
    private var cookies: [String: String] = [:]

    /// The number of pages and redirects after which a sign-in counts as failed.
    private static let limit = 12

    init(transport: any HTTPTransport, user: String, password: String) {
        self.transport = transport
        self.user = user
        self.password = password
    }

    /// Visits the URL of a sign-in, up to the callback. Throws `.bug` if the pages are not those of the test provider.
    mutating func signIn(at start: WebURL) async throws(AuthFailure) {
        var request = WebRequest(method: .get, url: start)
        for _ in 0..<Self.limit {
            let url = request.url
            // A cookie belongs to the provider; the callback is another server.
            if url.origin == start.origin, !cookies.isEmpty {
                let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                request.headers.append(("Cookie", pairs.joined(separator: "; ")))
            }
            let answer = try await transport.send(request)
            if url.origin == start.origin { keepCookie(of: answer) }
            if let location = answer.header("location"), let next = url.resolving(location) {
                request = WebRequest(method: .get, url: next)
            } else if url.origin != start.origin {
                return
            } else {
                request = try form(on: String(decoding: answer.body, as: UTF8.self), at: url)
            }
        }
        throw Self.unknownPage
    }

    private mutating func keepCookie(of answer: WebResponse) {
        guard let pair = answer.header("set-cookie")?.prefix(while: { $0 != ";" }), let sign = pair.firstIndex(of: "=") else { return }
        cookies[String(pair[..<sign])] = String(pair[pair.index(after: sign)...])
    }

    /// Returns the request that submits the page's form.
    private func form(on page: String, at url: WebURL) throws(AuthFailure) -> WebRequest {
        let chosen = "sandbox_username"
        // A vendor's page has buttons for the users, and sends the parameters of its own request again.
        if page.contains("name=\"\(chosen)\""), let target = url.resolving(url.path), let parameters = FormEncoding.decode(url.query ?? "")
        {
            return .form(target, parameters.map { ($0.name, $0.value) } + [(chosen, user)])
        }
        let known: [(action: String, fields: [(String, String)])] = [
            ("/sign-in", [("username", user), ("password", password)]),
            ("/consent", [("decision", "allow")] + ["profile", "email", "offline_access"].map { ("scope", $0) }),
        ]
        guard let interaction = Self.text(in: page, from: "name=\"interaction\" value=\""),
            let form = known.first(where: { page.contains("action=\"\($0.action)\"") }), let target = url.resolving(form.action)
        else { throw Self.unknownPage }
        return .form(target, [("interaction", interaction)] + form.fields)
    }

    /// Returns the text between `start` and the next quotation mark.
    private static func text(in page: String, from start: String) -> String? {
        let parts = page.split(separator: start, maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }

    private static var unknownPage: AuthFailure {
        AuthFailure(.bug, text: "the test provider shows an unexpected page", hint: "to run only the test providers, use: yett sandbox")
    }
}
