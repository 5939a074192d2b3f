import Glibc

/// Keeps all threads of a process on the first core that it may use, until this value is released.
final class CoreAffinity {
    private var former: [(thread: pid_t, cores: cpu_set_t)] = []

    init(process: pid_t) {
        for thread in MeasuredAgent.names(in: "/proc/\(process)/task").compactMap({ pid_t($0) }) {
            var cores = cpu_set_t()
            guard sched_getaffinity(thread, MemoryLayout<cpu_set_t>.size, &cores) == 0 else { continue }
            former.append((thread, cores))
            var first = Self.first(of: cores)
            sched_setaffinity(thread, MemoryLayout<cpu_set_t>.size, &first)
        }
    }

    deinit {
        for (thread, cores) in former {
            var cores = cores
            sched_setaffinity(thread, MemoryLayout<cpu_set_t>.size, &cores)
        }
    }

    private static func first(of cores: cpu_set_t) -> cpu_set_t {
        var result = cpu_set_t()
        withUnsafeBytes(of: cores) { all in
            guard let index = all.firstIndex(where: { $0 != 0 }) else { return }
            withUnsafeMutableBytes(of: &result) { $0[index] = all[index] & ~(all[index] - 1) }
        }
        return result
    }
}
