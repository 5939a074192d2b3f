import AuthModel
import Localization
import Sandbox
import Synchronization
import Testing

@testable import CommandLineTool

/// A job of two hours, whose libraries ask for credentials every minute, as with `yett exec --aws --refreshing`.
struct LongJobTests {
    /// The clocks of the job: that of the machine, and one that no one sets.
    private final class JobTime: TimeSource {
        private let world: CivilShiftedTime
        private let elapsed = Mutex(Duration.zero)

        init(_ world: CivilShiftedTime) { self.world = world }

        var now: Timestamp { world.now }
        var bootTime: Duration { elapsed.withLock { $0 } }
        func sleep(until deadline: Duration) async throws {}

        /// Lets time pass, on this machine and at AWS.
        func pass(_ duration: Duration, at server: IdentityCenterCommandTests.Server) {
            world.advance(by: duration)
            server.advance(by: duration)
            elapsed.withLock { $0 += duration }
        }
    }

    private static func running(
        _ settings: IdentityCenterSettings = IdentityCenterSettings(),
        _ body: (IdentityCenterCommandTests.Server, CommandWorld, RefreshedCredentials, JobTime) async throws -> Void
    ) async throws {
        try await IdentityCenterCommandTests.signedIn(settings) { server, world in
            @Sendable func fetch() async -> Result<RoleCredentials, AuthFailure> {
                let result = await world.run(IdentityCenterCommandTests.helper)
                guard result.status == 0 else {
                    return .failure(AuthFailure(result.status == 6 ? .signInAgain : .unavailable(retryAfter: nil), text: result.errors))
                }
                do throws(AuthFailure) { return .success(try RoleCredentials(Secret(result.output))) } catch { return .failure(error) }
            }
            let time = JobTime(world.time)
            try await body(server, world, RefreshedCredentials(try await fetch().get(), time: time, fetch: fetch), time)
        }
    }

    private func count(_ server: IdentityCenterCommandTests.Server) -> Int {
        server.calls(of: IdentityCenterCommandTests.credentials).count
    }

    @Test func twoHoursNeedThreeRequestsAndNoPage() async throws {
        try await Self.running { server, world, credentials, time in
            let pages = world.openedAddresses.count
            var keys: Set<String> = []
            for _ in 0..<120 {
                time.pass(.seconds(60), at: server)
                let current = try await credentials.current().get()
                #expect(try #require(Timestamp(current.expiration)) > time.now + .seconds(240))
                keys.insert(current.accessKeyID)
            }
            #expect(keys.count == 3 && count(server) == 3)
            #expect(world.openedAddresses.count == pages)
        }
    }

    /// Only this machine's clock is wrong for a while. That ends neither the job nor the session.
    @Test(arguments: [Duration.seconds(3 * 3600), .seconds(-2 * 3600)])
    func jumpOfTheClockEndsNothing(jump: Duration) async throws {
        try await Self.running { server, world, credentials, time in
            time.pass(.seconds(600), at: server)
            for direction in [jump, .zero - jump] {
                world.time.advance(by: direction)
                for _ in 0..<3 {
                    time.pass(.seconds(60), at: server)
                    _ = try await credentials.current().get()
                }
            }
            let before = count(server)
            time.pass(.seconds(60), at: server)
            let current = try await credentials.current().get()
            #expect(try #require(Timestamp(current.expiration)) > time.now && count(server) == before)
            #expect(try await world.sessions().first?["state"] == "signed_in")
        }
    }

    /// The user reads why, and the job goes on after a sign-in.
    @Test func registrationThatEndsNeedsASignInAndNoNewJob() async throws {
        var settings = IdentityCenterSettings()
        (settings.registrationLifetime, settings.accessLifetime) = (.seconds(4800), .seconds(1800))
        try await Self.running(settings) { server, world, credentials, time in
            var failure: AuthFailure?
            for _ in 0..<120 where failure == nil {
                time.pass(.seconds(60), at: server)
                if case .failure(let found) = await credentials.current() { failure = found }
            }
            #expect(failure?.kind == .signInAgain && failure?.summary.contains("registration") == true, "\(failure as Any)")
            // Libraries that ask again cause no more requests.
            let requests = server.requests.count
            for _ in 0..<5 { _ = await credentials.current() }
            #expect(server.requests.count == requests)
            try await world.signIn("aws")
            time.pass(.seconds(61), at: server)
            _ = try await credentials.current().get()
        }
    }
}
