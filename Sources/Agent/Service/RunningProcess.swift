import Glibc

/// A process, as `/proc` shows it (proc(5)).
///
/// A process number may be reused after its process has ended, so what is read here is for records and not for decisions.
struct RunningProcess: Equatable {
    let number: Int32

    /// The path of the program; `nil` if the kernel does not tell, such as for another user's process.
    var executable: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink("/proc/\(number)/exe", base, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// The name that the process gave itself, at most 15 bytes; readable for every process.
    var name: String? { text("comm", limit: 64).map { String($0.prefix { $0 != "\n" }) } }

    /// The process that started this one, or that adopted it.
    var parent: RunningProcess? {
        let fields = fields
        return fields.count > 1 ? Int32(fields[1]).flatMap { $0 > 0 ? RunningProcess(number: $0) : nil } : nil
    }

    /// When the process started, in ticks since the machine booted. Together with the number, it identifies a process.
    var startTime: UInt64? {
        let fields = fields
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// The fields of the process's status from the third one, the state; empty if the process has ended.
    private var fields: [Substring] {
        guard let text = text("stat", limit: 1024), let end = text.lastIndex(of: ")") else { return [] }
        // The name in parentheses may contain any character.
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// Whether the process is a shell, by its own name.
    var isShell: Bool { name.map(Self.shells.contains) ?? false }

    /// The names of shells.
    static let shells: Set = ["sh", "bash", "busybox", "dash", "fish", "ksh", "mksh", "zsh"]

    /// The first arguments, beginning with the name that the program was started with. They may contain secrets.
    var arguments: [String] { strings("cmdline", limit: 4096) }

    /// The environment variables that the process was started with, as `NAME=VALUE`. They may contain secrets.
    var variables: [String] { strings("environ", limit: 1 << 17) }

    private func strings(_ file: String, limit: Int) -> [String] {
        (bytes(file, limit: limit) ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private func text(_ file: String, limit: Int) -> String? { bytes(file, limit: limit).map { String(decoding: $0, as: UTF8.self) } }

    /// Reads at most `limit` bytes; `nil` if the file cannot be read.
    private func bytes(_ file: String, limit: Int) -> [UInt8]? {
        let descriptor = open("/proc/\(number)/\(file)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = 0
            while count < limit {
                let got = read(descriptor, buffer.baseAddress.map { $0 + count }, limit - count)
                guard got > 0 else { return }
                count += got
            }
        }
        return bytes.isEmpty ? nil : bytes
    }
}
