private import CProcess
private import Glibc

/// Protects the memory of this process, which contains keys, tokens and passphrases.
public enum ProcessMemory {
    /// The kernel refused to protect the memory.
    public struct ProtectionError: Error, Equatable, Sendable {
        /// The `errno` value.
        public let number: Int32
    }

    /// The core file limit of this process at its start, to restore it for programs that replace this process.
    // Written once, before a second thread exists; only read afterwards.
    private nonisolated(unsafe) static var originalCoreLimit: rlimit?

    /// Protects the memory from other programs of the same user: no core file, no debugger, no reading through `/proc`.
    ///
    /// Call it first, before a second thread or a secret exists. A program that this process starts or becomes has unprotected memory
    /// again. Freed memory is overwritten by `CWipingAllocator`, which the program must link.
    ///
    /// - Throws: ``ProtectionError`` if the kernel refuses. The process must not load a secret then.
    public static func close() throws(ProtectionError) {
        let number = cprocess_forbid_dumps()
        guard number == 0, cprocess_dumps_are_forbidden() == 1 else { throw ProtectionError(number: number) }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { throw ProtectionError(number: errno) }
        originalCoreLimit = originalCoreLimit ?? limit
        limit.rlim_cur = 0
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else { throw ProtectionError(number: errno) }
        cprocess_share_one_heap()
    }

    /// Permanently disables core files for this process and every program that it starts.
    public static func disableCoreFilesPermanently() throws(ProtectionError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else { throw ProtectionError(number: errno) }
        originalCoreLimit = none
    }

    /// Restores the core file limit that ``close()`` found, for the next program of this process.
    public static func restoreCoreLimit() {
        guard var limit = originalCoreLimit else { return }
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Whether the memory is protected by ``close()``.
    public static var isClosed: Bool { cprocess_dumps_are_forbidden() == 1 }

    /// Whether this program overwrites freed memory.
    public static var overwritesFreedMemory: Bool { cprocess_wipes_freed_memory() == 1 }

    /// Releases the pages of code and constants, because an agent runs for days and is mostly idle. Pages that are needed again are mapped
    /// again from the page cache.
    public static func releaseCode() { cprocess_release_code() }
}
