import Glibc

/// Resets a child's signal mask and ignored signals to the defaults of a new process.
enum ChildSignals {
    /// The flags that `attributes` must have for ``reset(_:)`` to take effect.
    static let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)

    static func reset(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
    }
}
