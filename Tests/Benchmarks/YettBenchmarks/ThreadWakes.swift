import Glibc
import ProcessHarness

/// How often each thread of a process has resumed after waiting, as counted by the kernel.
struct ThreadWakes {
    private let counts: [String: Int]

    init(of process: pid_t) throws {
        let folder = "/proc/\(process)/task"
        guard let directory = opendir(folder) else { throw HarnessError("no \(folder)") }
        defer { closedir(directory) }
        var counts: [String: Int] = [:]
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard name.first != ".", let file = fopen("\(folder)/\(name)/status", "r") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 200)
            while fgets(&line, Int32(line.count), file) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                guard text.hasPrefix("voluntary_ctxt_switches:") else { continue }
                counts[name] = Int(text.filter(\.isNumber)) ?? 0
            }
        }
        self.counts = counts
    }

    /// Returns the wake-ups since `before`. A thread that has ended since then counts as one wake-up.
    func since(_ before: ThreadWakes) -> Int {
        counts.reduce(0) { $0 + $1.value - (before.counts[$1.key] ?? 0) } + before.counts.keys.filter { counts[$0] == nil }.count
    }
}
