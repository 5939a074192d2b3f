import AuthModel
import Glibc
import ProcessHarness

/// An agent that keeps a home's sessions, seen from outside by what the kernel counts.
struct MeasuredAgent {
    let home: FilledHome
    let process: pid_t

    /// Runs `body` beside an agent, which is started as a command does, and is ended whatever becomes of `body`.
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

    /// Resident memory, in megabytes of 10^6 bytes.
    var megabytes: Double { Double(number("VmRSS:", in: "/proc/\(process)/status")) * 1_024 / 1_000_000 }

    /// How often its threads have waited and gone on.
    func wakes() throws -> ThreadWakes { try ThreadWakes(of: process) }

    var threads: Int { Self.names(in: "/proc/\(process)/task").count }

    /// Open descriptors.
    var descriptors: Int { Self.names(in: "/proc/\(process)/fd").count }

    /// Processor time it has used.
    var processorTime: Duration {
        guard let text = Self.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else { return .zero }
        // User and system time are the 14th and 15th field, the name in parentheses being the second.
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

    private static func names(in folder: String) -> [String] {
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
