internal import AuthModel

extension RenewalRetry {
    /// Waits before a grant is presented again that was refused without a readable reason: 1 s and up to as much again.
    ///
    /// A server that answers a dead grant so does it again after the pause. A fault of the moment, or a device on the way, has time to
    /// pass.
    ///
    /// - Returns: whether the time is over; `false` where the task was cancelled.
    func pauseBeforeSecondTry(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let pause = Self.pause(after: 1, wish: nil, jitter: Double.random(in: 0..<1))
        return (try? await time.sleep(until: time.bootTime + pause)) != nil && !Task.isCancelled
    }
}
