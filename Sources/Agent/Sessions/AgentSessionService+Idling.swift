import AuthModel

extension AgentSessionService {
    /// Notes that somebody used the keys.
    func touch() { lastUse = time.bootTime }

    /// Locks the store once it was idle for long enough, by the clock that runs on while the machine sleeps.
    func watchIdleness() {
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

    /// Locks where it is time; when to look again, `nil` once it is locked.
    private func lockIfIdle(_ limit: Duration) async -> Duration? {
        // What a sign-in brings must be sealed.
        let due = (attempts.isEmpty ? lastUse : time.bootTime) + limit
        guard time.bootTime >= due else { return due }
        idleTask = nil
        // What cannot be locked has no passphrase to come back with.
        try? await putKeysAway()
        return nil
    }

    /// Waits until nobody has wanted anything for ``exitLimit``: no request that needs the keys, no sign-in, nobody who watches. Never
    /// returns where there is no limit.
    func idleness() async {
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
