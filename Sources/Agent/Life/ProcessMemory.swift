public import AuthModel
import CAgent

/// The memory of the agent's process.
public enum ProcessMemory {
    /// Closes it to other programs of the same user, for good: no core dump, no debugger, no reading through `/proc`; and what is
    /// freed is overwritten. Throws `.security` where the system refuses: then the process must not take up a key.
    public static func close() throws(AuthFailure) {
        let number = yett_close_memory()
        guard number == 0, yett_memory_is_closed() == 1 else {
            throw AuthFailure(.security, "the agent's memory cannot be closed to other programs: \(SystemCall.text(number))")
        }
    }
}
