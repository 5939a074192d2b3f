import AuthModel
import Glibc
import ProcessHarness

/// An agent for a home's sessions, measured from outside with the kernel's counters.
struct MeasuredAgent {
    let home: FilledHome
    let process: pid_t

    /// Starts an agent as a command does, runs `body`, and always stops the agent.
    static func run(_ home: FilledHome, _ body: (MeasuredAgent) async throws -> Void) async throws {
        let start = try await home.yett("agent", "start")
        guard start.status == 0 else { throw HarnessError("the agent does not start: \(start)") }
        let outcome: Result<Void, any Error>
        do {
            let report = try await home.yett("agent", "status", "--json")
            guard let process = try JSONValue(strict: report.output)["process"]?.integer else { throw HarnessError("no agent: \(report)") }
            try await body(MeasuredAgent(home: home, process: pid_t(process)))
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        _ = try await home.yett("agent", "stop")
        try outcome.get()
    }

    /// Resident memory, in megabytes (10^6 bytes).
    var megabytes: Double { Double(number("VmRSS:", in: "/proc/\(process)/status")) * 1_024 / 1_000_000 }

    /// Returns how often its threads have resumed after waiting.
    func wakes() throws -> ThreadWakes { try ThreadWakes(of: process) }

    var threads: Int { Self.names(in: "/proc/\(process)/task").count }

    /// The number of open descriptors.
    var descriptors: Int { Self.names(in: "/proc/\(process)/fd").count }

    /// The processor time it has used.
    var processorTime: Duration {
        guard let text = Self.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else { return .zero }
        // User and system time are fields 14 and 15; the name in parentheses is field 2.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return .zero }
        return .milliseconds((user + system) * 1_000 / sysconf(Int32(_SC_CLK_TCK)))
    }

    private func number(_ name: String, in path: String) -> Int {
        let line = Self.text(path)?.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Returns the names in a folder; none if it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
