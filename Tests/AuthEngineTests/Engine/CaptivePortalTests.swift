import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import Synchronization
import TestSupport
import Testing

/// Only the token endpoint itself can end a session, not a portal in front of it (RFC 6749 section 5.2).
@Suite(.serialized) struct CaptivePortalTests {
    /// A captive portal: while it has a reply, it answers every renewal itself and records the time.
    private final class Portal: HTTPTransport {
        struct Reply {
            var status: Int
            var body: String
        }

        private let inner = CurlTransport(version: "test", environment: [:])
        private let time: any TimeSource
        private let reply = Mutex<Reply?>(nil)
        private let times = Mutex<[Duration]>([])

        init(time: any TimeSource) { self.time = time }

        func setReply(_ new: Reply?) { reply.withLock { $0 = new } }

        /// The times of the renewal requests, on the boot clock.
        var renewals: [Duration] { times.withLock { $0 } }

        func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
            guard String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token"), let reply = reply.withLock({ $0 })
            else { return try await inner.send(request, policy: policy) }
            times.withLock { $0.append(time.bootTime) }
            return WebResponse(status: reply.status, headers: [("content-type", "text/html")], body: Array(reply.body.utf8))
        }
    }

    private func withPortal(
        _ reply: Portal.Reply, _ body: (EngineFixture, Portal, SessionSummary) async throws -> Void
    ) async throws {
        let time = HastyTime(over: ShiftedTime())
        let portal = Portal(time: time)
        try await EngineFixture.runSignedIn(time: time, through: portal) { world, session in
            portal.setReply(reply)
            try await body(world, portal, session)
        }
    }

    @Test(arguments: [400, 401])
    func webPageEndsNoSession(status: Int) async throws {
        try await withPortal(.init(status: status, body: "<!doctype html><title>Welcome to the hotel</title>")) {
            (world, portal, session) async throws in
            for _ in 0..<2 {
                let error = await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
                #expect(error?.exitCode == 7)
                #expect(error?.summary.contains("a web page answered the renewal with status \(status)") == true)
            }
            #expect(try await world.engine.sessions().map(\.recordedState) == [.signedIn])
            portal.setReply(nil)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    /// An unreadable response is followed by one retry, after at least a second.
    @Test(arguments: ["<html>", "", "not found"])
    func retryComesAfterAPause(body: String) async throws {
        try await withPortal(.init(status: 400, body: body)) { world, portal, session in
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            let times = portal.renewals
            try #require(times.count >= 2)
            #expect(times[1] - times[0] >= .seconds(1))
        }
    }

    @Test func invalidGrantEndsTheSessionAtOnce() async throws {
        try await withPortal(.init(status: 400, body: #"{"error":"invalid_grant"}"#)) { (world, portal, session) async throws in
            let error = await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(error?.kind == .signInAgain)
            #expect(portal.renewals.count == 1)
            #expect(try await world.engine.sessions().map(\.recordedState) == [.needsSignIn])
        }
    }
}
