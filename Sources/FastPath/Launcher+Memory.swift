internal import CProcess

extension Launcher {
    /// Protects this process's memory from other programs of the same user before it receives a token: no core file, no debugger, no
    /// reading through `/proc`. The program that the launcher becomes protects its own memory.
    ///
    /// If the kernel refuses, the launcher continues: the full program would also refuse, only later.
    public static func closeMemory() { _ = cprocess_forbid_dumps() }
}
