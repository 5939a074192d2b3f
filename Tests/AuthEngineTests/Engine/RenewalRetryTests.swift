import AuthModel
import Sandbox
import Synchronization
import TestClocks
import Testing

@testable import AuthEngine

/// How often a refresh token is presented for one caller, and after which answers.
struct RenewalRetryTests {
    private static func unavailable(
        _ wish: Duration? = nil, _ repetition: AuthFailure.Repetition = .freely, _ outcome: RenewalFailure.ResponseOutcome = .kept
    ) -> RenewalFailure {
        var failure = AuthFailure(.unavailable(retryAfter: wish), "the provider is in trouble")
        failure.repetition = repetition
        return RenewalFailure(failure, outcome)
    }

    private static let dropped = unavailable(nil, .once, .inDoubt)

    /// The tries that were made before the last failure came through, on a clock that is put on at once.
    private func tries(_ failures: [RenewalFailure], lost: Int = 0, time: HastyTime = HastyTime(over: ManualTime())) async -> Int {
        let count = Mutex(0)
        _ = try? await RenewalRetry(time: time, lostAnswers: lost).run { () async throws(RenewalFailure) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            throw failures[min(number, failures.count) - 1]
        }
        return count.withLock { $0 }
    }

    @Test func presentsTheTokenThreeTimesAtMost() async {
        #expect(await tries([Self.unavailable()]) == 3)
        #expect(await tries([Self.unavailable(.seconds(2))]) == 3)
    }

    @Test func presentsItOnceMoreAfterADroppedConnection() async {
        #expect(await tries([Self.dropped]) == 2)
        #expect(await tries([Self.dropped, Self.unavailable()]) == 3)
        #expect(await tries([Self.unavailable(), Self.dropped]) == 3)
    }

    /// An earlier command presented it, and its answer was lost.
    @Test func presentsItOnceAfterALostAnswer() async {
        #expect(await tries([Self.dropped], lost: 1) == 1)
        #expect(await tries([Self.unavailable(), Self.dropped], lost: 1) == 2)
    }

    @Test func asksAgainForWhatIsNoPresentation() async {
        #expect(await tries([Self.unavailable(nil, .once)]) == 3)
    }

    @Test(arguments: [
        unavailable(nil, .none), unavailable(nil, .later), unavailable(nil, .later, .inDoubt), unavailable(.seconds(30)),
        unavailable(.seconds(3600)),
        RenewalFailure(unavailable().failure, .spoilt), RenewalFailure(unavailable().failure, .ended),
        RenewalFailure(unavailable().failure, .rotated(refreshToken: nil, expiresAt: nil)),
        RenewalFailure(AuthFailure(.signInAgain, "the session has ended"), .ended),
    ])
    func neverRepeatsWhatMayHaveCostTheToken(failure: RenewalFailure) async {
        #expect(await tries([failure]) == 1)
    }

    @Test func stopsAtTheFirstAnswerThatIsNoTrouble() async {
        #expect(await tries([Self.unavailable(), RenewalFailure(AuthFailure(.signInAgain, "over"), .ended)]) == 2)
    }

    @Test func waitsAsLongAsTheProviderWishesAndAWhileMore() {
        for jitter in [0, 0.5, 0.999] {
            #expect((Duration.seconds(1)...Duration.seconds(2)).contains(RenewalRetry.pause(after: 1, wish: nil, jitter: jitter)))
            #expect((Duration.seconds(3)...Duration.seconds(5)).contains(RenewalRetry.pause(after: 2, wish: nil, jitter: jitter)))
            #expect((Duration.seconds(7)...Duration.seconds(9)).contains(RenewalRetry.pause(after: 1, wish: .seconds(7), jitter: jitter)))
            #expect(RenewalRetry.pause(after: 1, wish: .zero, jitter: jitter) <= .milliseconds(500))
        }
    }

    /// The clock stands for the caller's, whose 30 seconds are over.
    @Test func startsNoTryAfterTheCallersDeadline() async {
        #expect(await tries([Self.unavailable(.seconds(16))]) == 2)
    }
}
