import GRDBSQLite

/// Allocations of SQLite that fail, as where a machine has no memory left.
public enum ScarceMemory {
    /// From now on SQLite gets no more than `spare` bytes beyond what it holds.
    public static func begin(spare: Int64) { sqlite3_hard_heap_limit64(max(1, sqlite3_memory_used() + spare)) }

    public static func end() { sqlite3_hard_heap_limit64(0) }
}
