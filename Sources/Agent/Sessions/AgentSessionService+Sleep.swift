import AuthModel

/// Locks the store around a suspend of the machine.
extension AgentSessionService {
    /// Locks the store before the machine sleeps, and keeps it locked until the machine wakes.
    func prepareForSleep() async {
        isAsleep = true
        // A store that cannot be locked (in memory) stays open.
        try? await lockAutomatically()
    }

    /// Unlocks a store that needs no user, so that renewals continue. If the user unlocked the store meanwhile, ``lockAfterSleep()``
    /// handles it as after any sleep.
    func wake() async {
        guard isAsleep else { return }
        slept = suspension.slept()
        isAsleep = false
        try? await unlockIfNoPassphraseNeeded()
    }

    /// Locks the store if the machine has slept since the last check without an announcement, because another person may have woken it.
    ///
    /// Called before every request that needs the keys and before every renewal ahead of time, so the keys are not used after a sleep
    /// before this check.
    func lockAfterSleep() async {
        let now = suspension.slept()
        guard now - slept >= SuspensionClock.threshold else { return }
        slept = now
        isAsleep = false
        try? await lockAutomatically()
        try? await unlockIfNoPassphraseNeeded()
    }

    /// Handles the announcements of sleeps.
    func follow(_ watch: SleepWatch) async {
        for await event in watch.events {
            switch event {
            case .aboutToSleep:
                await prepareForSleep()
                watch.allowSleep()
            case .woke: await wake()
            }
        }
        // The bus is gone, so no announcement of the wake-up will arrive.
        isAsleep = false
    }
}
