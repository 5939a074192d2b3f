import AuthEngine
import AuthModel
import ProcessHarness
import SessionStore

/// Fills a home's store with sessions in all states, with names in several scripts, as after months of use.
struct CrowdedHome {
    /// Providers that cannot be reached, so that nothing depends on a network.
    static let providers = ["atlas", "borealis", "yokohama", "a-rather-long-name-of-a-provider-somewhere", "zurich"]

    private static let accounts = [
        "ada@example.org", "山田花子", "grace.brewster.murray.hopper@a-very-long-subdomain.example.org", "שלום", "🚀 marie", "e\u{301}mile",
    ]

    static var configuration: String {
        "\n[store]\nseal = \"key-file\"\n"
            + providers.map {
                "[providers.\($0)]\nkind = \"oidc\"\nissuer = \"https://127.0.0.1:9/\($0)\"\nclient_id = \"yett\"\n"
                    + "revocation_endpoint = \"https://127.0.0.1:9/\($0)/revoke\"\n"
            }
            .joined()
    }

    /// Adds `count` sessions; the states repeat in turn.
    static func fill(_ home: TemporaryHome, with count: Int) async throws {
        let store = try await SessionStore.open(
            directory: home.path + "/data/yett", source: .keyFile(home.path + "/data/yett/sessions.key"), time: SystemTimeSource())
        try await store.insert(try (0..<count).map(session))
    }

    private static func session(_ number: Int) throws -> SessionRecord {
        let provider = providers[number % providers.count]
        let account = accounts[number / providers.count % accounts.count] + (number < 30 ? "" : " \(number)")
        guard let name = SessionName("\(provider)/\(account)") else {
            throw HarnessError("no session can be called \(provider)/\(account)")
        }
        let now = SystemTimeSource().now
        // Valid for hours, valid for less than a minute, expired, and ended for good.
        let (state, left): (SessionState, Duration) =
            switch number % 7 {
            case 0, 1: (.signedIn, .seconds(3_600 + 60 * Int64(number)))
            case 2: (.signedIn, .seconds(50))
            case 3: (.signedIn, .seconds(-600))
            case 4: (.needsSignIn, .seconds(-86_400))
            case 5: (.revoked, .seconds(-3_600))
            default: (.error, .seconds(900))
            }
        let scopes: ScopeSet = ["openid", "profile", "email", "offline_access"]
        let (end, received) = (now + left, now - .seconds(3_600))
        let tokens = TokenSet(
            accessToken: Secret("access-\(number)"), tokenType: "Bearer", accessExpiresAt: end, refreshToken: Secret("refresh-\(number)"),
            refreshExpiresAt: nil, idToken: nil, scopes: scopes, receivedAt: received)
        let issuer = "https://127.0.0.1:9/\(provider)"
        let summary = SessionSummary(
            name: name, issuer: issuer, subject: "subject-\(number)", recordedState: state, accessExpiresAt: end, refreshExpiresAt: nil,
            isRenewable: state == .signedIn, scopes: scopes, grantedAt: received, receivedAt: received)
        return SessionRecord(
            summary: summary, tokens: tokens, identity: Identity(issuer: issuer, subject: "subject-\(number)"), clientID: "yett")
    }
}
