import CSQLite

/// Failing allocations in SQLite, as on a machine without free memory.
public enum MemoryLimit {
    /// Limits SQLite to `spare` bytes more than it uses now.
    public static func begin(spare: Int64) { sqlite3_hard_heap_limit64(max(1, sqlite3_memory_used() + spare)) }

    /// Removes the limit.
    public static func end() { sqlite3_hard_heap_limit64(0) }
}
