import AuthModel

extension ResidentKeeper {
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
        let due = lastUse + limit
        guard time.bootTime >= due else { return due }
        idleTask = nil
        // What cannot be locked has no passphrase to come back with.
        try? await putKeysAway()
        return nil
    }
}
