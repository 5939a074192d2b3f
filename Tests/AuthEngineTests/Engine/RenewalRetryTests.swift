import AuthModel
import Sandbox
import Synchronization
import TestSupport
import Testing

@testable import AuthEngine

/// How often one caller sends a refresh token, and after which responses.
struct RenewalRetryTests {
    private static func unavailable(
        _ retryAfter: Duration? = nil, _ retryPolicy: AuthFailure.RetryPolicy = .freely, _ outcome: RenewalFailure.ResponseOutcome = .kept
    ) -> RenewalFailure {
        var failure = AuthFailure(.unavailable(retryAfter: retryAfter), text: "the provider is in trouble")
        failure.retryPolicy = retryPolicy
        return RenewalFailure(failure, outcome)
    }

    private static let dropped = unavailable(nil, .once, .inDoubt)

    /// Returns the number of attempts until the last failure is thrown, on a clock that skips waits.
    private func tries(_ failures: [RenewalFailure], lost: Int = 0, time: HastyTime = HastyTime(over: ManualTime())) async -> Int {
        let count = Mutex(0)
        _ = try? await RenewalRetry(time: time, lostResponses: lost).run { () async throws(RenewalFailure) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            throw failures[min(number, failures.count) - 1]
        }
        return count.withLock { $0 }
    }

    @Test func sendsTheTokenAtMostThreeTimes() async {
        #expect(await tries([Self.unavailable()]) == 3)
        #expect(await tries([Self.unavailable(.seconds(2))]) == 3)
    }

    @Test func repeatsOnceAfterADroppedConnection() async {
        #expect(await tries([Self.dropped]) == 2)
        #expect(await tries([Self.dropped, Self.unavailable()]) == 3)
        #expect(await tries([Self.unavailable(), Self.dropped]) == 3)
    }

    /// An earlier command sent the token, and its response was lost.
    @Test func sendsTheTokenOnceAfterALostResponse() async {
        #expect(await tries([Self.dropped], lost: 1) == 1)
        #expect(await tries([Self.unavailable(), Self.dropped], lost: 1) == 2)
    }

    @Test func repeatsFailuresThatKeepTheToken() async {
        #expect(await tries([Self.unavailable(nil, .once)]) == 3)
    }

    @Test(arguments: [
        unavailable(nil, .none), unavailable(nil, .later), unavailable(nil, .later, .inDoubt), unavailable(.seconds(30)),
        unavailable(.seconds(3600)),
        RenewalFailure(unavailable().failure, .untrustedAnswer), RenewalFailure(unavailable().failure, .ended),
        RenewalFailure(unavailable().failure, .rotated(refreshToken: nil, expiresAt: nil)),
        RenewalFailure(AuthFailure(.signInAgain, "session.has_ended"), .ended),
    ])
    func doesNotRepeatOtherFailures(failure: RenewalFailure) async {
        #expect(await tries([failure]) == 1)
    }

    @Test func stopsAtTheFirstPermanentFailure() async {
        #expect(await tries([Self.unavailable(), RenewalFailure(AuthFailure(.signInAgain, text: "over"), .ended)]) == 2)
    }

    @Test func waitsForRetryAfterPlusJitter() {
        for jitter in [0, 0.5, 0.999] {
            #expect((Duration.seconds(1)...Duration.seconds(2)).contains(RenewalRetry.pause(after: 1, retryAfter: nil, jitter: jitter)))
            #expect((Duration.seconds(3)...Duration.seconds(5)).contains(RenewalRetry.pause(after: 2, retryAfter: nil, jitter: jitter)))
            #expect(
                (Duration.seconds(7)...Duration.seconds(9)).contains(RenewalRetry.pause(after: 1, retryAfter: .seconds(7), jitter: jitter)))
            #expect(RenewalRetry.pause(after: 1, retryAfter: .zero, jitter: jitter) <= .milliseconds(500))
        }
    }

    /// With pauses of 16 s, a third attempt would start after the caller's 30 s.
    @Test func startsNoAttemptAfterTheCallersDeadline() async {
        #expect(await tries([Self.unavailable(.seconds(16))]) == 2)
    }
}
