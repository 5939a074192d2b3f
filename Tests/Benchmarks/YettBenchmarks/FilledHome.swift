import Agent
import AuthEngine
import AuthModel
import Glibc
import ProcessHarness
import SessionStore

/// A temporary home with sessions in its store.
struct FilledHome {
    private let home: TemporaryHome

    var environment: [String: String] { home.environment }
    var socket: String { home.path + "/run/yett/agent.sock" }
    var store: String { home.path + "/data/yett" }
    var configuration: String { home.path + "/config/yett/config.toml" }

    /// The name of the first session of a filled home.
    static let firstSession = "provider0/person0"

    /// The host that the signed-in session's tokens may be sent to.
    static let apiHost = "git.example.org"

    /// An agent left over from an interrupted run exits by itself after 900 seconds.
    private static let settings = "[store]\nseal = \"key-file\"\n[agent]\nidle_exit = 900\n"

    /// Lets the tokens of the last provider be sent to a host.
    ///
    /// - Parameter root: the file of the certificate that the host's leads to.
    func allowTokens(at host: String, trusting root: String? = nil) throws {
        guard let file = fopen(configuration, "a") else { throw HarnessError("\(configuration) cannot be changed") }
        fputs("api_hosts = [\"\(host)\"]\n" + (root.map { "ca_file = \"\($0)\"\n" } ?? ""), file)
        fclose(file)
    }

    /// Returns a home without a store.
    static func empty() throws -> FilledHome {
        FilledHome(home: try TemporaryHome())
    }

    private init(home: TemporaryHome) {
        self.home = home
    }

    /// Creates a home with `count` sessions at several providers.
    ///
    /// - Parameters:
    /// - issuer: the only issuer; without it, there are eight.
    /// - lifetime: the remaining lifetime of the access tokens.
    /// - states: the states of the sessions, in rotation.
    init(
        sessions count: Int, issuer: String? = nil, lifetime: Duration = .seconds(3_600), states: [SessionState] = [.signedIn]
    ) async throws {
        home = try TemporaryHome()
        let issuers = issuer.map { [$0] } ?? (0..<8).map { "https://id\($0).example.org" }
        let providers = issuers.enumerated().map { number, issuer in
            "[providers.provider\(number)]\nkind = \"oidc\"\nissuer = \"\(issuer)\"\nclient_id = \"yett\"\n"
        }
        try home.configure(Self.settings + providers.joined())
        let time = SystemTimeSource()
        let store = try await SessionStore.open(directory: store, source: .keyFile(store + "/sessions.key"), time: time)
        try await store.insert(
            try (0..<count).map { number in
                let provider = number % issuers.count
                let end = time.now + lifetime + (lifetime > .zero ? .seconds(number) : .zero)
                var session = try Self.session("provider\(provider)/person\(number)", issuers[provider], number, from: time.now, to: end)
                session.settle(states[number % states.count], at: time.now)
                return session
            })
    }

    /// Returns a home with a session at the sandbox, and its refresh token. The session uses the confidential client, which other programs
    /// can use too.
    static func signedIn(at issuer: String) async throws -> (home: FilledHome, refreshToken: Secret) {
        let home = FilledHome(home: try TemporaryHome())
        try home.home.configure(
            settings + """
                [providers.provider0]
                kind = "oidc"
                issuer = "\(issuer)"
                client_id = "\(OIDCAgent.clientID)"
                client_auth = "client_secret_basic"
                client_secret_command = ["/bin/echo", "\(OIDCAgent.clientSecret)"]
                scopes = ["openid", "profile", "offline_access"]
                api_hosts = ["\(apiHost)"]
                """)
        let login = try await home.yett(
            "login", "provider0", "--account", "person0", "--no-agent", with: ["BROWSER": Browser.following])
        guard login.status == 0 else { throw HarnessError("no sign-in: \(login)") }
        let store = try await SessionStore.open(
            directory: home.store, source: .keyFile(home.store + "/sessions.key"), time: SystemTimeSource())
        guard let name = SessionName(firstSession), let token = try await store.record(name)?.tokens?.refreshToken else {
            throw HarnessError("the sign-in gave no refresh token: \(login)")
        }
        return (home, token)
    }

    private static func session(
        _ name: String, _ issuer: String, _ number: Int, from now: Timestamp, to end: Timestamp
    ) throws -> SessionRecord {
        guard let name = SessionName(name) else { throw HarnessError("no session can be called \(name)") }
        let scopes: ScopeSet = ["openid", "profile", "email", "offline_access"]
        // Received an hour before its end, so that an expired session was received long ago.
        let received = min(now, end - .seconds(3_600))
        let tokens = TokenSet(
            accessToken: Secret("access-\(number)"), tokenType: "Bearer", accessExpiresAt: end, refreshToken: Secret("refresh-\(number)"),
            refreshExpiresAt: nil, idToken: nil, scopes: scopes, receivedAt: received)
        let summary = SessionSummary(
            name: name, issuer: issuer, subject: "subject-\(number)", recordedState: .signedIn, accessExpiresAt: end, refreshExpiresAt: nil,
            isRenewable: true, scopes: scopes, grantedAt: received, receivedAt: received)
        return SessionRecord(
            summary: summary, tokens: tokens, identity: Identity(issuer: issuer, subject: "subject-\(number)"), clientID: "yett")
    }

    /// Fills the activity log: 20 programs used the tokens of all sessions in the last day.
    func fillActivity(sessions: Int) {
        let log = ActivityLog(folder: home.path + "/state/yett")
        let now = SystemTimeSource().now
        for number in 0..<ActivityLog.limit {
            let index = number * 7 % sessions
            let message = UserMessage(
                code: "activity.token_kind_issued_to",
                arguments: ["kind": .message("phrase.token"), "caller": .text("/usr/bin/tool\(number % 20)"), "terms": .text("")])
            log.append(
                ActivityRecord(
                    Activity(
                        at: now - .seconds(Int64(ActivityLog.limit - number) * 86), kind: .issued,
                        session: SessionName("provider\(index % 8)/person\(index)"), message: message)))
        }
    }

    /// Writes a file in this home and returns its path.
    func write(_ text: String, to name: String) throws -> String { try home.write(text, to: name) }

    /// Runs `yett-main` in this home.
    func yett(_ arguments: String..., with changes: [String: String?] = [:]) async throws -> ProgramResult {
        try await home.program("yett-main", arguments, with: changes).run()
    }

    /// Returns this home's environment with changes.
    func environment(with changes: [String: String?]) -> [String: String] { home.environment(with: changes) }
}
