internal import AuthModel

extension RenewalRetry {
    /// Waits before a grant that was refused without a readable reason is sent again: 1 s plus a random time of up to 1 s.
    ///
    /// A server that refuses a dead grant in this way does so again after the pause. A temporary fault, or a fault of a device in between,
    /// has time to pass.
    ///
    /// - Throws: `.cancelled`, which keeps the grant, if the task was cancelled.
    package func pauseBeforeSecondTry(isolation: isolated (any Actor)? = #isolation) async throws(RenewalFailure) {
        let pause = Self.pause(after: 1, retryAfter: nil, jitter: Double.random(in: 0..<1))
        guard (try? await time.sleep(until: time.bootTime + pause)) != nil, !Task.isCancelled else {
            throw RenewalFailure(CurlFailure.cancelled, .kept)
        }
    }
}
