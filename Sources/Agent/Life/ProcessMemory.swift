public import AuthModel
import CAgent

/// The memory of the agent's process.
public enum ProcessMemory {
    /// `GLIBC_TUNABLES` of a process that holds keys: small blocks that are freed are overwritten like large ones, which glibc leaves out
    /// where each thread has a cache of them; and all threads share one heap, since each of their own keeps what it once needed. It has to be
    /// set when the process starts.
    static let tunables = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165:glibc.malloc.arena_max=1"
    static let variable = "GLIBC_TUNABLES"

    /// The environment that a process with this one has to be started with again, so that all it frees is overwritten; `nil` where it was.
    public static func environment(insteadOf environment: [String: String]) -> [String: String]? {
        // The loader takes the variable from a process with more rights than its starter, however often it is started.
        guard environment[variable] != tunables, yett_has_raised_rights() == 0 else { return nil }
        return environment.merging([variable: tunables]) { $1 }
    }

    /// Gives back what only the start needed: an agent is there for days, and rests for most of them.
    static func letGoOfStart() { yett_let_go_of_code() }

    /// Closes it to other programs of the same user, for good: no core dump, no debugger, no reading through `/proc`; and what is
    /// freed is overwritten. Throws `.security` where the system refuses: then the process must not take up a key.
    public static func close() throws(AuthFailure) {
        let number = yett_close_memory()
        guard number == 0, yett_memory_is_closed() == 1 else {
            throw AuthFailure(.security, "the agent's memory cannot be closed to other programs: \(SystemCall.text(number))")
        }
    }
}
