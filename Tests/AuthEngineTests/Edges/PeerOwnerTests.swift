import AuthModel
import Glibc
import TestSupport
import Testing

@testable import AuthEngine
@testable import LocalServer

/// Callbacks are accepted only from the user's own programs, because other users of the machine can reach the port too.
@Suite struct PeerOwnerTests {
    private static let heading = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

    /// Returns a row of the kernel's table: a socket at `local` that is connected to `remote`.
    private static func row(_ local: String, _ remote: String, user: Int, inode: Int) -> String {
        "   0: \(local) \(remote) 01 00000000:00000000 00:00000000 00000000 \(user)        0 \(inode) 1 0000000000000000 20 0 0 10 -1\n"
    }

    /// The browser's socket at port 8080 and the listener's socket at port 9090.
    private static let browser = "0100007F:1F90"
    private static let listener = "0100007F:2382"
    private static let mapped = "0000000000000000FFFF0000"

    private func owner(_ rows: String..., seesAll: Bool = true) -> PeerOwner {
        let peer = PeerOwner.End(address: "127.0.0.1", port: 8080)
        let own = PeerOwner.End(address: "127.0.0.1", port: 9090)
        let table = SocketTable(text: Array((Self.heading + rows.joined()).utf8), localPort: peer.port)
        return PeerOwner((peer, own), in: table, user: 1000, seesAll: seesAll)
    }

    @Test(arguments: [(1000, PeerOwner.trusted), (0, .trusted), (1001, .untrusted), (65_534, .untrusted)])
    func ownerOfTheSocketDecides(_ user: Int, _ expected: PeerOwner) {
        let ours = Self.row(Self.listener, Self.browser, user: 1000, inode: 7)
        #expect(owner(ours, Self.row(Self.browser, Self.listener, user: user, inode: 8)) == expected)
        let throughV6 = Self.row(Self.mapped + Self.browser, Self.mapped + Self.listener, user: user, inode: 8)
        #expect(owner(ours, throughV6) == expected)
    }

    @Test func closedSocketIsAStranger() {
        #expect(owner(Self.row(Self.browser, Self.listener, user: 0, inode: 0)) == .untrusted)
        #expect(owner(Self.row(Self.listener, Self.browser, user: 1000, inode: 7)) == .untrusted)
    }

    @Test func connectionsToOtherPortsAreIgnored() {
        #expect(owner(Self.row(Self.browser, "0100007F:2383", user: 1000, inode: 8)) == .untrusted)
    }

    @Test func missingInformationIsUnknown() {
        #expect(owner(seesAll: false) == .unknown)
        let address = PeerOwner.End(address: "127.0.0.1", port: 1)
        #expect(PeerOwner((address, address), in: nil) == .unknown)
    }

    @Test func readsIPv6AddressesOfTheKernel() {
        let peer = PeerOwner.End(address: "::1", port: 8080)
        let own = PeerOwner.End(address: "::1", port: 9090)
        let one = "00000000000000000000000001000000"
        let table = SocketTable(text: Array(Self.row(one + ":1F90", one + ":2382", user: 1000, inode: 8).utf8), localPort: 8080)
        #expect(PeerOwner((peer, own), in: table, user: 1000) == .trusted)
        #expect(PeerOwner((peer, own), in: table, user: 1001) == .untrusted)
    }

    @Test func tableHasTheSocketsOfThePortAlone() {
        let rows = [
            Self.row("0100007F:1F9A", Self.listener, user: 1, inode: 1), Self.row(Self.listener, Self.browser, user: 2, inode: 2),
            Self.row("0100007F:0050", Self.browser, user: 3, inode: 3), Self.row(Self.browser, Self.listener, user: 4, inode: 4),
        ]
        let text = Array((Self.heading + rows.joined()).utf8)
        #expect(SocketTable(text: text, localPort: 0x1F90).rows.map(\.inode) == ["4"])
        #expect(SocketTable(text: text, localPort: 0x50).rows.map(\.inode) == ["3"])
        #expect(SocketTable(text: text, localPort: 0x1F9).rows.isEmpty)
        // A table that ends in the middle of a line.
        for length in text.indices { _ = SocketTable(text: Array(text[..<length]), localPort: 0x1F90) }
    }

    /// The same request, sent by this user and by another user.
    @Test(.enabled(if: geteuid() == 0, "becoming another user takes root"))
    func callbackOfAnotherUserIsRejected() async throws {
        let shown = try await ListenerTests.withListener { _, port in
            let request = "GET /callback?state=%s HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n"
            func send(_ state: String, as command: String) async throws -> String {
                let folder = try TestFolder()
                try await folder.shellBesideTasks(
                    "\(command) bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(port); printf \"\(request)\" \(state) >&3; head -n 1 <&3' >answer")
                return folder.read("answer") ?? ""
            }
            let answers = [
                try await send("no", as: "setpriv --reuid=65534 --clear-groups"), try await send("other", as: ""),
                try await send("right", as: ""),
            ]
            #expect(answers.map { $0.split(separator: " ").dropFirst().first } == ["400", "400", "200"])
        }
        #expect(shown == ["state=other", "state=right"])
    }
}
