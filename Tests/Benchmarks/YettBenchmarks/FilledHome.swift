import AuthEngine
import AuthModel
import ProcessHarness
import SessionStore

/// A throw-away home whose store holds sessions.
struct FilledHome {
    private let home: TemporaryHome

    var environment: [String: String] { home.environment }

    private init(home: TemporaryHome) {
        self.home = home
    }

    /// One without a store.
    static func empty() throws -> FilledHome {
        FilledHome(home: try TemporaryHome())
    }

    /// One with so many sessions, at a handful of providers.
    init(sessions count: Int) async throws {
        home = try TemporaryHome()
        let folder = home.path + "/data/yett"
        let time = SystemTimeSource()
        let store = try await SessionStore.open(directory: folder, source: .keyFile(folder + "/sessions.key"), time: time)
        for number in 0..<count {
            _ = try await store.store(Self.session(number, at: time.now), label: .chosen)
        }
    }

    private static func session(_ number: Int, at now: Timestamp) throws -> SessionRecord {
        guard let name = SessionName("provider\(number % 8)/person\(number)") else { throw HarnessError("no name for session \(number)") }
        let issuer = "https://id\(number % 8).example.org"
        let end = now + .seconds(3_600 + number)
        let scopes: ScopeSet = ["openid", "profile", "email", "offline_access"]
        let tokens = TokenSet(
            accessToken: Secret("access-\(number)"), tokenType: "Bearer", accessExpiresAt: end, refreshToken: Secret("refresh-\(number)"),
            refreshExpiresAt: nil, idToken: nil, scopes: scopes, receivedAt: now)
        let summary = SessionSummary(
            name: name, issuer: issuer, subject: "subject-\(number)", settledState: .signedIn, accessExpiresAt: end, refreshExpiresAt: nil,
            isRenewable: true, scopes: scopes, grantedAt: now, receivedAt: now)
        return SessionRecord(
            summary: summary, tokens: tokens, identity: Identity(issuer: issuer, subject: "subject-\(number)"), clientID: "yett")
    }
}
