import Glibc

/// A child's signals as a fresh process has them: the masks and ignored signals of a thread of ours are no business of another program.
enum ChildSignals {
    /// What `attributes` must have among their flags for ``reset(_:)`` to count.
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
