private import CProcess
private import Glibc

/// The memory of this process, which holds keys, tokens and passphrases.
public enum ProcessMemory {
    /// The kernel refused to close the memory; `number` is its errno value.
    public struct NotClosed: Error, Equatable, Sendable {
        public let number: Int32
    }

    /// How large a core file of this process could have been when it started, for programs that take its place.
    // Written once, before there is a second thread; afterwards only read.
    private nonisolated(unsafe) static var originalCoreLimit: rlimit?

    /// Closes the memory to other programs of the same user: no core file, no debugger, no reading through `/proc`.
    ///
    /// Call it first, before there is a second thread and before there is a secret. A program that this one starts or becomes has open
    /// memory again. Freed memory is overwritten by `CWipingAllocator`, which the program has to link.
    ///
    /// - Throws: ``NotClosed`` when the kernel refuses. The process must not take up a secret then.
    public static func close() throws(NotClosed) {
        let number = cprocess_forbid_dumps()
        guard number == 0, cprocess_dumps_are_forbidden() == 1 else { throw NotClosed(number: number) }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { throw NotClosed(number: errno) }
        originalCoreLimit = originalCoreLimit ?? limit
        limit.rlim_cur = 0
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { throw NotClosed(number: errno) }
        cprocess_share_one_heap()
    }

    /// Forbids core files to this process and to every program that it starts, for good.
    public static func forbidCoresForGood() throws(NotClosed) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else { throw NotClosed(number: errno) }
        originalCoreLimit = none
    }

    /// Gives the next program of this process the limit for core files back that ``close()`` found.
    public static func restoreCoreLimit() {
        guard var limit = originalCoreLimit else { return }
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Whether ``close()`` holds.
    public static var isClosed: Bool { cprocess_dumps_are_forbidden() == 1 }

    /// Whether freed memory is overwritten in this program.
    public static var isWipedWhenFreed: Bool { cprocess_wipes_freed_memory() == 1 }

    /// Gives back the pages of code that only the start needed: an agent runs for days, and idles for most of them.
    public static func releaseCode() { cprocess_release_code() }
}
