import Glibc
import NIOCore
import ProcessHarness
import TestSupport
import Testing

@testable import ResourceProxy

/// The connections of a proxy for HTTPS: what they cost, and what ends them.
@Suite struct InterceptingProxyTests {
    /// What arrives after a refusal is read, so that the client sees the answer, and not kept.
    @Test(arguments: [400, 403, 407]) func nothingIsKeptAfterARefusal(status: Int) async throws {
        try await InterceptFixture.run(leaveTime: .hours(1)) { proxy in
            let request =
                switch status {
                case 400: "POST / HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n"
                case 403: "GET http://a.example/ HTTP/1.1\r\nProxy-Authorization: \(proxy.password)\r\n\r\n"
                default: "CONNECT a.example:443 HTTP/1.1\r\n\r\n"
                }
            let connection = try #require(RawClient.connected(port: proxy.port))
            defer { close(connection) }
            let answer = await RawClient.run {
                RawClient.sendAll(connection, Array(request.utf8))
                let answer = RawClient.readAll(connection)
                let piece = [UInt8](repeating: 0x61, count: 1 << 20)
                for _ in 0..<64 { RawClient.sendAll(connection, piece) }
                return answer
            }
            #expect(answer?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(answer ?? "no end")")
            // All but what is in the buffers of the sockets has been read.
            #expect(try await proxy.keptCount() == 0)
        }
    }

    @Test func connectionsOfOthersTakeNoPlace() async throws {
        try await InterceptFixture.run(limit: 1, isForeign: { (2...9).contains($0) }) { proxy in
            let own = try #require(RawClient.connected(port: proxy.port))
            defer { close(own) }
            let opened = await RawClient.run {
                RawClient.sendAll(own, Array(proxy.connect("a.example").utf8))
                return BlockingServer.head(own)
            }
            #expect(opened.hasPrefix("HTTP/1.1 200 "), "\(opened)")
            for _ in 0..<8 {
                let refused = try await proxy.exchange(proxy.connect("a.example"))
                #expect(refused.hasPrefix("HTTP/1.1 403 "), "\(refused)")
            }
            #expect(proxy.refusals == [String](repeating: "a connection of another user is refused", count: 8))
            // The first connection has lost its place to none of them.
            let answer = await RawClient.run {
                RawClient.sendAll(own, Array("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8))
                return RawClient.readAll(own)
            }
            #expect(answer?.hasPrefix("HTTP/1.1 400 ") == true, "\(answer ?? "no end")")
            #expect(proxy.refusals.last == "plain HTTP to a.example is refused; use https")
        }
    }

    /// A missing password is no attempt: some programs send it only when they are asked.
    @Test func wrongPasswordIsReported() async throws {
        try await InterceptFixture.run { proxy in
            for field in ["Proxy-Authorization: Basic eWV0dDpvdGhlcg==\r\n", ""] {
                let answer = try await proxy.exchange("CONNECT a.example:443 HTTP/1.1\r\n\(field)\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 407 "), "\(answer)")
                #expect(proxy.refusals == ["a connection with a wrong password is refused"])
            }
        }
    }

    @Test func connectionForPlainHTTPToAHostIsRefused() async throws {
        try await InterceptFixture.run { proxy in
            let answer = try await proxy.exchange(proxy.connect("b.example", port: 80))
            #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.contains("plain HTTP to b.example is refused; use https"), "\(answer)")
        }
    }

    @Test func connectionsToAnAddressOfThisMachineAreRefused() async throws {
        let addresses = try System.enumerateDevices().compactMap { $0.address?.ipAddress }
        #expect(addresses.contains("127.0.0.1"))
        try await InterceptFixture.run { proxy in
            for address in addresses {
                let answer = try await proxy.exchange(proxy.connect(address.contains(":") ? "[\(address)]" : address, port: 1))
                #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.contains("is an address of this machine"), "\(address): \(answer)")
            }
        }
    }

    /// A lock or a sign-out concerns one session: the connections of others, and those that only pass through, go on.
    @Test func withdrawalEndsTheConnectionsOfItsSessionOnly() async throws {
        try await InterceptFixture.run { proxy in
            let connections = ["a.example", "b.example"].compactMap { _ in RawClient.connected(port: proxy.port) }
            try #require(connections.count == 2)
            defer { for connection in connections { close(connection) } }
            for (connection, host) in zip(connections, ["a.example", "b.example"]) {
                let opened = await RawClient.run {
                    RawClient.sendAll(connection, Array(proxy.connect(host).utf8))
                    return BlockingServer.head(connection)
                }
                #expect(opened.hasPrefix("HTTP/1.1 200 "), "\(opened)")
            }
            proxy.credentials["a.example"]?.withdraw()
            let end = await RawClient.run { RawClient.readAll(connections[0]) }
            #expect(end == "")
            // Plain HTTP in place of TLS gets an answer, so the connection is still open.
            let answer = await RawClient.run {
                RawClient.sendAll(connections[1], Array("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n".utf8))
                return RawClient.readAll(connections[1])
            }
            #expect(answer?.hasPrefix("HTTP/1.1 400 ") == true, "\(answer ?? "no end")")
        }
    }

    /// With a resumed session, the host that TLS names is the one of the first connection.
    @Test func sessionsAreNotResumed() async throws {
        try await InterceptFixture.run { proxy in
            let folder = try TestFolder()
            let client =
                "openssl s_client -proxy 127.0.0.1:\(proxy.port) -proxy_user yett -proxy_pass pass:\(proxy.secret) "
                + "-connect a.example:443 -servername a.example -tls1_2"
            // Without a session, there is no file for the second one to read.
            try await folder.shellBesideTasks(
                "\(client) -sess_out session </dev/null >first; \(client) -sess_in session </dev/null >second; true")
            let (first, second) = (try #require(folder.read("first")), try #require(folder.read("second")))
            #expect(first.contains("New, TLSv1.2"), "\(first)")
            #expect(!second.contains("Reused"), "\(second)")
        }
    }
}
