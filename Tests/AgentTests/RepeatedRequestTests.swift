@testable import Agent
import AuthModel
import Glibc
import TestSupport
import Testing

/// Requests of a program that repeats one only after a resource refused its token.
@Suite(.startsPrograms) struct RepeatedRequestTests {
    private let now = Timestamp(milliseconds: 1_790_000_000_000)

    private func request(by process: Int32, to destination: String? = nil) -> TokenRequest {
        var request = TokenRequest(session: Sample.name)
        request.repetitionMeansRefusal = true
        request.process = process
        request.destination = destination
        return request
    }

    private func issued(_ token: String = "t1", for lifetime: Duration = .seconds(600)) -> IssuedToken {
        IssuedToken(token: Secret(token), tokenType: "Bearer", expiresAt: now + lifetime, scopes: [], session: Sample.name)
    }

    private func memory() -> RepeatedRequests { RepeatedRequests { .init(process: $0, startedAt: 1) } }

    private func isRefused(
        _ memory: RepeatedRequests, _ issued: IssuedToken, _ request: TokenRequest, at seconds: Int = 0
    ) -> Bool {
        memory.isRefused(issued, for: request, now: now, bootTime: .seconds(seconds))
    }

    @Test func repetitionByTheSameProgramMeansRefusal() {
        let memory = memory()
        #expect(!isRefused(memory, issued(), request(by: 1)))
        #expect(!isRefused(memory, issued(), request(by: 2)))
        #expect(!isRefused(memory, issued(), request(by: 1, to: "other.example.org")))
        #expect(isRefused(memory, issued(), request(by: 1)))
    }

    @Test func tokenIsReplacedOnceAMinute() {
        let memory = memory()
        #expect(!isRefused(memory, issued(), request(by: 1)))
        #expect(isRefused(memory, issued(), request(by: 1), at: 1))
        memory.replace(with: issued("t2"), for: request(by: 1))
        #expect(!isRefused(memory, issued("t2"), request(by: 1), at: 60))
        #expect(isRefused(memory, issued("t2"), request(by: 1), at: 61))
    }

    @Test func newTokensAndExpiredOnesAreNotRefused() {
        let memory = memory()
        #expect(!isRefused(memory, issued(), request(by: 1)))
        #expect(!isRefused(memory, issued("t2"), request(by: 1)))
        #expect(!isRefused(memory, issued("t2", for: .zero), request(by: 1)))
        var plain = request(by: 1)
        plain.repetitionMeansRefusal = false
        #expect(!isRefused(memory, issued("t2"), plain))
    }

    @Test func startTimeIdentifiesAProcess() throws {
        let own = RunningProcess(number: getpid())
        let start = try #require(own.startTime)
        #expect(start > 0 && start == own.startTime)
        #expect(RunningProcess(number: 1 << 30).startTime == nil)
    }
}
