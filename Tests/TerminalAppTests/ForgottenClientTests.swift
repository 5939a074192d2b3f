import AuthModel
import Synchronization
import Testing

@testable import TerminalApp

/// A sign-in at a server that no longer knows the client.
struct ForgottenClientTests {
    private static let refusal = AuthFailure(.denied(code: "invalid_client"), text: "the server does not know the client any more")
    private static let run = RunID(number: 1)
    private let service = InMemorySessionService()
    private let outside = RecordingEnvironment()

    /// Returns the events of a sign-in whose first attempt is refused; `second` is the result of another attempt.
    private func outcomes(second: SignInEvent?) async throws -> [SignInEvent] {
        let performer = EffectRunner(service: service, environment: outside.environment)
        let request = SignInRequest(provider: try #require(ProviderName("work")))
        let posted = Mutex<[SignInEvent]>([])
        let post: @Sendable (Message) -> Void = { message in
            guard case .signInReported(_, let event, _) = message else { return }
            posted.withLock { $0.append(event) }
        }
        await performer.begin(request, Self.run, post)
        service.report(.finished(.failure(Self.refusal)))
        async let following: Void = performer.follow(Self.run, post)
        if let second {
            while service.inside.withLock({ $0.attempts.count < 2 }) { await Task.yield() }
            service.report(second)
        }
        await following
        #expect(service.inside.withLock { $0.attempts.allSatisfy { $0.request == request } })
        return posted.withLock { $0 }
    }

    @Test(.timeLimit(.minutes(10))) func clientIsRegisteredAgainAndSignsIn() async throws {
        let session = try Sample.session("work/ada")
        #expect(try await outcomes(second: .finished(.success(session))) == [.finished(.success(session))])
        #expect(outside.inside.withLock { $0.renewedClients?.map(\.text) } == ["work"])
    }

    /// A server that also refuses the new client is not asked again.
    @Test(.timeLimit(.minutes(10))) func clientIsRegisteredAgainOnlyOnce() async throws {
        #expect(try await outcomes(second: .finished(.failure(Self.refusal))) == [.finished(.failure(Self.refusal))])
        #expect(outside.inside.withLock { $0.renewedClients?.count } == 1)
    }

    @Test func manuallyRegisteredClientIsNotReplaced() async throws {
        outside.inside.withLock { $0.renewedClients = nil }
        #expect(try await outcomes(second: nil) == [.finished(.failure(Self.refusal))])
        #expect(service.inside.withLock { $0.attempts.count } == 1)
    }
}
