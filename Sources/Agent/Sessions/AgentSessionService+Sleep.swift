import AuthModel

/// What a sleep of the machine means for the keys.
extension AgentSessionService {
    /// Puts the keys away before the machine sleeps, and keeps them away until it woke.
    func fallAsleep() async {
        isAsleep = true
        // What cannot be locked has no passphrase to come back with.
        try? await putKeysAway()
    }

    /// A store that opens without a person goes on being renewed. Keys that somebody brought meanwhile are looked at as after any sleep.
    func wake() async {
        guard isAsleep else { return }
        slept = suspension.slept()
        isAsleep = false
        try? await unlockIfNoPassphraseNeeded()
    }

    /// Puts the keys away where the machine slept since the last look, and nobody said so before: whoever woke it may be somebody else.
    ///
    /// The seal is looked at before every request that needs the keys, and before a renewal ahead of time, so nothing is done with them
    /// after a sleep before this.
    func putKeysAwayAfterSleep() async {
        let now = suspension.slept()
        guard now - slept >= SuspensionClock.threshold else { return }
        slept = now
        isAsleep = false
        try? await putKeysAway()
        try? await unlockIfNoPassphraseNeeded()
    }

    /// Follows what is told of sleeps.
    func follow(_ watch: SleepWatch) async {
        for await event in watch.events {
            switch event {
            case .fallsAsleep:
                await fallAsleep()
                watch.allowSleep()
            case .woke: await wake()
            }
        }
        // There is nobody left to say that it woke.
        isAsleep = false
    }
}
