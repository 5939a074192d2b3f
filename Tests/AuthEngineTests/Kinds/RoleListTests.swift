import AuthEngine
import AuthModel
import OAuth
import Synchronization
import TestSupport
import Testing
import UserConfiguration

@testable import ProviderKinds

/// The lists of accounts and roles of a portal that is faulty or hostile.
struct RoleListTests {
    /// A portal at AWS's own address.
    private struct Portal: HTTPTransport {
        let answer: @Sendable (WebURL) -> WebResponse

        func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse { answer(request.url) }

        func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? { nil }
    }

    private static func answer(_ document: JSONValue) -> WebResponse { WebResponse(status: 200, body: Array(document.text.utf8)) }

    private func roles(_ answer: @escaping @Sendable (WebURL) -> JSONValue) async throws -> [AccountRole] {
        try await roles(at: Portal { Self.answer(answer($0)) })
    }

    private func roles(at portal: Portal, time: any TimeSource = SystemTimeSource()) async throws -> [AccountRole] {
        let start = try #require(WebURL("https://example.awsapps.com/start"))
        let settings = IdentityCenterConfiguration(startURL: start, region: "eu-central-1")
        let name = try #require(ProviderName("aws"))
        let adapter = IdentityCenterAdapter(
            configuration: ProviderConfiguration(name: name, kind: .awsSSO, issuer: nil, clientID: ""), settings: settings,
            environment: EngineEnvironment(
                makeAdapter: EngineEnvironment.allKinds, transport: portal, time: time, cacheDirectory: nil))
        let now = SystemTimeSource().now
        let summary = SessionSummary(
            name: try #require(SessionName("aws/ada")), issuer: nil, subject: nil, recordedState: .signedIn, accessExpiresAt: nil,
            refreshExpiresAt: nil, isRenewable: true, scopes: ScopeSet([]), grantedAt: now, receivedAt: now)
        let tokens = TokenSet(
            accessToken: Secret("token"), tokenType: "Bearer", accessExpiresAt: nil, refreshToken: nil, refreshExpiresAt: nil, idToken: nil,
            scopes: ScopeSet([]), receivedAt: now)
        return try await adapter.roles(
            of: SessionRecord(summary: summary, tokens: tokens, identity: Identity(issuer: start.text, subject: ""), clientID: "c"))
    }

    private static func isList(_ url: WebURL) -> Bool { url.path.hasSuffix("/accounts") }

    @Test func namesThatNoAccountAndNoRoleHasAreLeftOut() async throws {
        let long = String(repeating: "é", count: 100_000)
        let found = try await roles { url in
            Self.isList(url)
                ? [
                    "accountList": [
                        ["accountId": "000000000001", "accountName": .string(long)], ["accountId": "1\n[default]", "accountName": "x"],
                        ["accountName": "x"], ["accountId": "00000000000１"],
                    ]
                ]
                : [
                    "roleList": [
                        ["roleName": "Admin"], ["roleName": "a b"], ["roleName": "--help\n"], ["roleName": ""],
                        ["roleName": .string(String(repeating: "r", count: 65))], "Admin", ["roleName": 1],
                    ]
                ]
        }
        #expect(found == [AccountRole(account: "000000000001", role: "Admin")])
        #expect(found.first?.accountName == String(long.prefix(128)))
    }

    // MARK: A portal that is busy

    /// Returns the pauses between the requests to a portal with these answers before the list, which is empty.
    private func pauses(_ statuses: [Int], retryAfter: String? = nil) async throws -> [Int64] {
        let time = HastyTime(over: ManualTime(now: SystemTimeSource().now))
        let left = Mutex(statuses[...])
        let portal = Portal { _ in
            guard let status = left.withLock({ $0.popFirst() }) else { return Self.answer(["accountList": []]) }
            return WebResponse(status: status, headers: retryAfter.map { [(name: "Retry-After", value: $0)] } ?? [], body: [])
        }
        #expect(try await roles(at: portal, time: time) == [])
        return time.pauses
    }

    /// A random time is added, so that clients that were refused together do not ask together again.
    @Test func busyPortalIsAskedAgainAfterGrowingPauses() async throws {
        let found = try await pauses([429, 429, 429])
        #expect(found.count == 3 && zip(found, [1...2, 3...5, 3...5]).allSatisfy { $1.contains($0) }, "\(found)")
        let asked = try await pauses([429], retryAfter: "9")
        #expect(asked.count == 1 && (9...11).contains(asked[0]), "\(asked)")
    }

    @Test func busyPortalIsNotAskedForEver() async throws {
        let failure = await #expect(throws: AuthFailure.self) { _ = try await self.pauses(Array(repeating: 429, count: 100)) }
        #expect(failure?.isTransient == true, "\(failure as Any)")
    }

    @Test(arguments: [500, 502, 503, 504]) func portalThatFailsIsAskedThreeTimes(status: Int) async throws {
        #expect(try await pauses([status, status]).count == 2)
        let failure = await #expect(throws: AuthFailure.self) { _ = try await self.pauses([status, status, status]) }
        #expect(failure?.isTransient == true, "\(failure as Any)")
    }

    // MARK: A list without an end

    /// The same page again, always another page, and too much on one page.
    @Test(arguments: ["same", "other", "many", "roles"])
    func listHasAnEnd(fault: String) async throws {
        let failure = await #expect(throws: AuthFailure.self) {
            _ = try await self.roles { url in
                guard fault != "roles" || !Self.isList(url) else {
                    return ["accountList": .array((1...9).map { ["accountId": .string("00000000000\($0)")] })]
                }
                switch fault {
                case "same": return ["accountList": [], "nextToken": "1"]
                case "other": return ["accountList": [], "nextToken": .string("\(url.text.utf8.count)\(SystemTimeSource().bootTime)")]
                case "many": return ["accountList": .array(Array(repeating: ["accountId": "000000000001"], count: 20_001))]
                default: return ["roleList": .array((0..<3000).map { ["roleName": .string("r\($0)")] })]
                }
            }
        }
        #expect(failure?.message.code == "aws.list_too_long", "\(failure as Any)")
    }
}
