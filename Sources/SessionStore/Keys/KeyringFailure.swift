import AuthModel

/// The reason why the user's keyring does not return or store the key of a store.
public enum KeyringFailure: Equatable, Sendable {
    /// libsecret, which accesses the keyring, cannot be used; the reason, and whether installing it helps.
    case noLibrary(String, isMissing: Bool)
    /// There is no session bus.
    case noBus
    /// No program on the session bus provides the Secret Service.
    case noService
    /// There is no default keyring for a new key.
    case noCollection
    /// The keyring is locked. Yett does not ask the user to unlock it.
    case locked
    /// The keyring did not answer within the time limit.
    case noAnswer
    /// The keyring is readable, but has no key for this store.
    case keyLost
    /// The keyring has a key for this store, but it does not open the store.
    case wrongKey
    /// Another failure, with the keyring program's message.
    case failed(String)

    /// Returns the failure for the user. `place` is the store's file, quoted for a shell.
    func failure(place: String) -> AuthFailure {
        func wrong(_ summary: String, _ hint: String) -> AuthFailure { AuthFailure(.configuration, summary, hint: hint) }
        let restore = "nothing was overwritten: restore the keyring from a backup, or move \(place) away and sign in again"
        switch self {
        case .noLibrary(let reason, let isMissing):
            return wrong(
                "cannot connect to the keyring: \(reason)",
                isMissing
                    ? "install libsecret: apt-get install libsecret-1-0"
                    : "free some memory, or reinstall libsecret: apt-get install --reinstall libsecret-1-0")
        case .noBus:
            return wrong(
                "cannot connect to the keyring: there is no session bus",
                "set DBUS_SESSION_BUS_ADDRESS to your desktop's address; a new store with seal = \"passphrase\" needs none")
        case .noService:
            return wrong(
                "no program on the session bus stores secrets",
                "start gnome-keyring-daemon or a similar program; a new store with seal = \"passphrase\" needs none")
        case .noCollection:
            return wrong(
                "no default keyring for the store's key",
                "create one with your desktop's password manager, or set seal = \"passphrase\" in [store]")
        case .locked: return wrong("the keyring is locked", "unlock it with your desktop's password manager, and try again")
        case .noAnswer: return wrong("the keyring does not answer", "check whether it is asking you something, and try again")
        case .keyLost: return wrong("the keyring has no key for \(place)", restore)
        case .wrongKey: return wrong("the key in the keyring does not open \(place)", restore)
        case .failed(let reason): return wrong("the keyring failed: \(reason)", "run: yett doctor")
        }
    }
}
