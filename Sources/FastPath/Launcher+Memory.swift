internal import CProcess

extension Launcher {
    /// Closes this process's memory to other programs of the same user, before a token is in it: no core file, no debugger, no reading
    /// through `/proc`. The program that the launcher becomes closes its own.
    ///
    /// A kernel that refuses is not a reason to withhold the token: the whole program, which refuses too, would only take longer to say so.
    public static func closeMemory() { _ = cprocess_forbid_dumps() }
}
