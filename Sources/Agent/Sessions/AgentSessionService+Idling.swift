import AuthModel

extension AgentSessionService {
    /// Records a use of the keys.
    func touch() { lastUse = time.bootTime }

    /// Locks the store after the idle limit, measured on the boot clock, which includes suspends.
    func startIdleTimer() {
        guard let idleLimit, idleTask == nil else { return }
        idleTask = Task { [weak self, time] in
            var deadline = time.bootTime + idleLimit
            while (try? await time.sleep(until: deadline)) != nil {
                guard let self else { return }
                guard let next = await self.lockIfIdle(idleLimit) else { return }
                deadline = next
            }
        }
    }

    /// Locks the store if it is due. Returns when to check again; `nil` once it is locked.
    private func lockIfIdle(_ limit: Duration) async -> Duration? {
        // Do not lock during a sign-in, because its result must be sealed.
        let due = (attempts.isEmpty ? lastUse : time.bootTime) + limit
        guard time.bootTime >= due else { return due }
        idleTask = nil
        // A store that cannot be locked (in memory) stays open.
        try? await lockAutomatically()
        return nil
    }

    /// Waits until the agent was idle for ``exitLimit``: no request that needs the keys, no sign-in and no event stream. Never returns
    /// without a limit.
    func waitUntilIdle() async {
        guard let exitLimit else { return await Self.forever() }
        var deadline = time.bootTime + exitLimit
        while (try? await time.sleep(until: deadline)) != nil {
            let isWanted = !watchers.isEmpty || !attempts.isEmpty
            let due = (isWanted ? time.bootTime : lastUse) + exitLimit
            guard time.bootTime < due else { return }
            deadline = due
        }
    }

    private static func forever() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
    }
}
