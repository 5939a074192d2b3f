internal import Agent
internal import AuthEngine
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// Fills the demo's home: opens the sessions by real sign-ins at the test providers, and writes a day of history to the activity log.
struct DemoSeed: Sendable {
    /// A sign-in to make.
    struct SignIn: Sendable {
        let provider: ProviderName
        let user: String
        let password: String

        /// Reads a sign-in that the test providers name; `nil` if it is incomplete.
        init?(_ json: JSONValue) {
            guard let provider = json["provider"]?.string.flatMap({ ProviderName($0) }), let user = json["user"]?.string,
                let password = json["password"]?.string
            else { return nil }
            self.provider = provider
            self.user = user
            self.password = password
        }
    }

    let signIns: [SignIn]
    let context: CommandContext
    let service: AgentSessionService

    /// Makes all sign-ins at the same time, then has the sessions used, renewed and refused. A failed one is left out.
    func plant() async {
        let log = context.activityLog()
        for record in DemoHistory(end: context.now).records { log.append(record) }
        await withTaskGroup(of: Void.self) { group in
            for signIn in signIns { group.addTask { try? await self.make(signIn) } }
        }
        // Its refresh token is refused, as by a provider whose administrator ended the session.
        if let refused = SessionName("billing/grace") { _ = try? await service.renew(refused) }
        await openGuest()
        for (name, program) in [("code/ada", "git"), ("cluster/ada", "kubectl"), ("registry/ada", "docker"), ("mail/chihiro", "curl")] {
            guard let session = SessionName(name) else { continue }
            let request = TokenRequest(session: session, caller: .verbatim("/usr/bin/\(program)"))
            guard (try? await service.token(request)) != nil else { continue }
            log.append(DemoHistory.use(of: session, by: program, at: context.now))
        }
    }

    private func make(_ signIn: SignIn) async throws(AuthFailure) {
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

/// The demo's history: a day of uses by the tools that most users have, and of renewals.
struct DemoHistory {
    /// The end of the day.
    let end: Timestamp

    /// The entries, the oldest first.
    var records: [ActivityRecord] { (Self.uses + Self.renewals).sorted { $0.ago > $1.ago }.map { record($0) } }

    private struct Entry {
        let ago: Duration
        let session: String
        /// The program that used the token; `nil` for a renewal.
        let program: String?
        let count: Int
    }

    private static func hours(_ hours: [Double], _ session: String, _ program: String?, count: Int = 1) -> [Entry] {
        hours.map { Entry(ago: .milliseconds(Int64($0 * 3_600_000)), session: session, program: program, count: count) }
    }

    private static let uses =
        hours([0.4, 1.2, 2.6, 3.1, 5.7, 7.4, 20.3, 22.1], "code/ada", "git", count: 3)
        + hours([0.2, 0.9, 1.8, 2.2, 4.6, 6.3, 21.5], "cluster/ada", "kubectl", count: 12)
        + hours([1.5, 4.1, 8.2, 19.8], "registry/ada", "docker", count: 2)
        + hours([0.7, 3.6, 6.9, 18.4, 23.2], "mail/chihiro", "curl") + hours([2.9, 5.2], "cluster/linus", "kubectl", count: 4)
        + hours([3.3, 9.1], "code/grace", "git")
    private static let renewals =
        hours([0.8, 1.8, 2.8, 3.8, 4.8, 5.8, 6.8], "cluster/ada", nil) + hours([7.5, 15.5, 23.5], "code/ada", nil)
        + hours([11.6, 23.6], "registry/ada", nil)

    private func record(_ entry: Entry) -> ActivityRecord {
        let at = end - entry.ago
        guard let session = SessionName(entry.session), let program = entry.program else {
            return ActivityRecord(Activity(at: at, kind: .renewed, session: SessionName(entry.session), message: "renewal.done"))
        }
        return Self.use(of: session, by: program, at: at, count: entry.count)
    }

    /// Returns the record of a token that a program got.
    static func use(of session: SessionName, by program: String, at: Timestamp, count: Int = 1) -> ActivityRecord {
        let path = "/usr/bin/\(program)"
        let request = TokenRequest(session: session, caller: .verbatim(path))
        return ActivityRecord(
            Activity(at: at, kind: .issued, session: session, message: request.issuedMessage, count: count), program: path)
    }
}
