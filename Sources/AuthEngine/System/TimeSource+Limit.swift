package import AuthModel

extension TimeSource {
    /// Runs `work` and cancels it at `deadline` on the boot clock. Waits for the result of `work` even after cancelling it.
    ///
    /// - Returns: the result of `work`, and whether it was cancelled by the deadline.
    package func outcome<Value: Sendable>(
        until deadline: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, isCutOff: Bool) {
        let running = Task { await work() }
        let watch = Task {
            guard (try? await sleep(until: deadline)) != nil else { return false }
            running.cancel()
            return true
        }
        let value = await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            running.cancel()
        }
        watch.cancel()
        return (value, await watch.value)
    }
}
