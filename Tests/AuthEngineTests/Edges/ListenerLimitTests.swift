import AuthModel
import Glibc
import Localization
import NIOCore
import ProcessHarness
import TestSupport
import Testing

@testable import AuthEngine

@Suite struct ListenerLimitTests {
    private static let right = "/callback?state=right"

    enum Oversize: String, CaseIterable {
        case line, lineWithoutEnd, field, manyFields

        func request(host: String) -> String {
            func a(_ count: Int) -> String { String(repeating: "a", count: count) }
            return switch self {
            case .line: "GET /callback?state=right&x=\(a(8200)) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
            case .lineWithoutEnd: "GET /callback?\(a(4 << 20))"
            case .field: "GET /callback?state=right HTTP/1.1\r\nHost: \(host)\r\nX: \(a(70_000))\r\n\r\n"
            case .manyFields: "GET /callback?state=right HTTP/1.1\r\nHost: \(host)\r\n\(String(repeating: "X: y\r\n", count: 20_000))\r\n"
            }
        }
    }

    @Test(arguments: Oversize.allCases)
    func dropsOversizeRequests(_ kind: Oversize) async throws {
        let queries = try await ListenerTests.withListener { _, port in
            let answer = try #require(await RawClient.exchange(port: port, kind.request(host: "127.0.0.1:\(port)")))
            // While bytes are still in transit, the page may be lost with the connection.
            let status = answer.prefix(13)
            #expect(["", "HTTP/1.1 431 ", "HTTP/1.1 400 "].contains(status))
            #expect(await RawClient.get(Self.right, port: port)?.hasPrefix("HTTP/1.1 200 ") == true)
        }
        #expect(queries == ["state=right"])
    }

    @Test func acceptsALongCode() async throws {
        let query = "state=right&code=" + String(repeating: "c", count: 8000)
        let queries = try await ListenerTests.withListener { _, port in
            #expect(await RawClient.get("/callback?" + query, port: port)?.hasPrefix("HTTP/1.1 200 ") == true)
        }
        #expect(queries == [query])
    }

    @Test(arguments: ["", "GET /callback?state=right HTTP/1.1\r\nHost: 127"])
    func dropsSlowSenders(_ start: String) async throws {
        let limits = ListenerLimits(readTime: .milliseconds(100))
        let queries = try await ListenerTests.withListener(limits: limits) { _, port in
            #expect(await RawClient.exchange(port: port, start) == "")
            // On a busy machine, the valid request may itself be too slow, and is then sent again.
            while await RawClient.get(Self.right, port: port)?.hasPrefix("HTTP/1.1 200 ") != true { await Task.yield() }
        }
        #expect(queries == ["state=right"])
    }

    @Test func idleConnectionsDoNotBlockOthers() async throws {
        let limits = ListenerLimits(readTime: .minutes(1), connections: 4)
        try await ListenerTests.withListener(limits: limits) { _, port in
            let idle = (0..<10).compactMap { _ in RawClient.connected(port: port) }
            defer { for descriptor in idle { close(descriptor) } }
            #expect(idle.count == 10)
            // The oldest connections were closed in favour of newer ones.
            #expect(await RawClient.run { RawClient.readAll(idle[0]) } == "")
            #expect(await RawClient.get(Self.right, port: port)?.hasPrefix("HTTP/1.1 200 ") == true)
        }
    }

    @Test func closingFreesThePortAndDropsIdleConnections() async throws {
        let listener = try await LoopbackListener.bind(rules: [.standard])
        let port = try #require(listener.rule.port)
        let idle = try #require(RawClient.connected(port: port))
        defer { close(idle) }
        await listener.close()
        #expect(ListeningSockets.addresses(port: port).isEmpty)
        #expect(await RawClient.run { RawClient.readAll(idle) } == "")
        #expect(RawClient.connected(port: port) == nil)
    }

    /// A program that another thread starts has a copy of the socket until its `execve`.
    @Test func portIsClosedAlsoWhileAProgramIsBeingStarted() async throws {
        let listener = try await LoopbackListener.bind(rules: [.standard])
        let port = try #require(listener.rule.port)
        let copies = DescriptorCopies(ofListenersOn: port)
        #expect(copies.count == 1)
        await listener.close()
        #expect(ListeningSockets.addresses(port: port).isEmpty)
        #expect(RawClient.connected(port: port) == nil)
        withExtendedLifetime(copies) {}
    }

    @Test func reservedPortIsClosedAlsoWhileAProgramIsBeingStarted() throws {
        var reserved: ReservedPort? = try .reserve()
        let port = try #require(reserved?.number)
        let copies = DescriptorCopies(ofListenersOn: port)
        #expect(copies.count == 1)
        reserved = nil
        #expect(RawClient.connected(port: port) == nil)
        withExtendedLifetime(copies) {}
    }

    @Test func closingFinishesAPageInProgress() async throws {
        let listener = try await LoopbackListener.bind(rules: [.standard])
        let port = try #require(listener.rule.port)
        async let answer = RawClient.get(Self.right, port: port)
        try await listener.serve { _ in .accepted }
        await listener.close()
        #expect(await answer?.hasPrefix("HTTP/1.1 200 ") == true)
    }

    @Test func cancellationEndsServing() async throws {
        let listener = try await LoopbackListener.bind(rules: [.standard])
        let task = Task {
            await #expect(throws: AuthFailure.self) { try await listener.serve { _ in .accepted } }
        }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        await listener.close()
    }

    @Test func releasedListenerFreesItsPort() async throws {
        var listener: LoopbackListener? = try await LoopbackListener.bind(rules: [.standard])
        let port = try #require(listener?.rule.port)
        listener = nil
        while !ListeningSockets.addresses(port: port).isEmpty { await Task.yield() }
    }

    @Test(arguments: [true, false])
    func portCannotBeShared(_ isFixed: Bool) async throws {
        let free = try FreePort.find()
        let rule = RedirectRule(host: "127.0.0.1", port: isFixed ? free : nil, path: "/callback")
        try await ListenerTests.withListener(rules: [rule]) { _, port in
            for any in [false, true] { #expect(LocalPort.listenSharing(port: port, any: any) == nil) }
        }
    }

    @Test func namesTheProcessThatUsesThePort() async throws {
        let holder = try #require(LocalPort.listenSharing(port: 0, any: false))
        defer { close(holder) }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(holder, $0, &size) }
        }
        let port = Int(in_port_t(bigEndian: address.sin_port))
        let failure = await #expect(throws: AuthFailure.self) { try await LoopbackListener.bind(rules: [.standard], port: port) }
        #expect(failure?.kind == .configuration)
        let summary = try #require(failure?.summary)
        #expect(summary.hasPrefix("port \(port) is in use by ") && summary.hasSuffix("(process \(getpid()))"))
        #expect(failure?.hintText != nil)

        let free = try FreePort.find()
        let rules = [port, free].map { RedirectRule(host: "127.0.0.1", port: $0, path: "/callback") }
        try await ListenerTests.withListener(rules: rules) { listener, _ in
            #expect(listener.redirectURI == "http://127.0.0.1:\(free)/callback")
        }
    }

    @Test func fixedPortIsReusableAtOnce() async throws {
        let rule = RedirectRule(host: "127.0.0.1", port: try FreePort.find(), path: "/callback")
        for _ in 0..<2 {
            let queries = try await ListenerTests.withListener(rules: [rule]) { _, port in
                #expect(await RawClient.get(Self.right, port: port)?.hasPrefix("HTTP/1.1 200 ") == true)
            }
            #expect(queries == ["state=right"])
        }
    }

    @Test func reportsThatNoRedirectIsConfigured() async throws {
        let failure = await #expect(throws: AuthFailure.self) { try await LoopbackListener.bind(rules: []) }
        #expect(failure?.kind == .configuration)
    }
}
