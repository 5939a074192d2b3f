internal import AuthModel

extension TimeSource {
    /// Waits for `work` until `deadline` of the boot clock; then it is cancelled, and what it makes of that counts.
    ///
    /// - Returns: what came of the work, and whether it ran out of time.
    func outcome<Value: Sendable>(
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
