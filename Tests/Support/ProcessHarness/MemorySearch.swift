public import AuthModel
public import Glibc

/// Searches for a secret in the memory of another process. If that process closed its memory, only root can search it.
public struct MemorySearch {
    /// An occurrence of a part of the secret.
    public struct Find: CustomStringConvertible, Sendable {
        /// The line of `/proc/PID/maps` for its mapping.
        public var mapping: String
        /// The address of the occurrence.
        public var address: UInt64
        /// The bytes around it as text, which help to identify the owner of the memory.
        public var surroundingText: String

        public var description: String { "at 0x\(String(address, radix: 16)) in \(mapping): \(surroundingText)" }
    }

    private let maps: String
    private let memory: Int32

    /// Returns each occurrence of the last 24 bytes of the secret in writable memory.
    public static func places(of secret: Secret, in process: pid_t) throws -> [Find] {
        guard let maps = text("/proc/\(process)/maps") else { throw HarnessError("process \(process) is gone, or closed to this user") }
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw HarnessError.system("cannot read the memory of process \(process)", errno) }
        defer { close(memory) }
        // The end of the secret: when a block is freed, the allocator overwrites its first bytes anyway.
        return MemorySearch(maps: maps, memory: memory).places(of: secret.withBytes { Array($0.suffix(24)) })
    }

    private func places(of piece: [UInt8]) -> [Find] {
        maps.split(separator: "\n").flatMap { line -> [Find] in
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            // Only writable memory can contain the secret.
            guard ends.count == 2, fields[1].hasPrefix("rw") else { return [] }
            return addresses(of: piece, from: ends[0], to: ends[1])
                .map { Find(mapping: String(line), address: $0, surroundingText: surroundingText(of: $0, from: ends[0])) }
        }
    }

    private func addresses(of piece: [UInt8], from start: UInt64, to end: UInt64) -> [UInt64] {
        let step = 1 << 20
        var buffer = [UInt8](repeating: 0, count: step + piece.count)
        var found: [UInt64] = []
        var place = start
        while place < end {
            let wanted = Int(min(UInt64(buffer.count), end - place))
            let got = pread(memory, &buffer, wanted, off_t(place))
            if got > 0 {
                buffer.withUnsafeBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    var from = 0
                    while from + piece.count <= got, let hit = memchr(base + from, Int32(piece[0]), got - piece.count - from + 1) {
                        let offset = base.distance(to: UnsafeRawPointer(hit))
                        // An occurrence in both chunks is found in the second.
                        if offset < step, memcmp(hit, piece, piece.count) == 0 { found.append(place + UInt64(offset)) }
                        from = offset + 1
                    }
                }
            }
            place += UInt64(step)
        }
        return found
    }

    private func surroundingText(of address: UInt64, from start: UInt64) -> String {
        let first = max(start, address < 192 ? 0 : address - 192)
        var buffer = [UInt8](repeating: 0, count: 320)
        let got = pread(memory, &buffer, buffer.count, off_t(first))
        return String(decoding: buffer.prefix(max(got, 0)).map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }

    /// Returns the text of a file of `/proc`, which does not report its size.
    public static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
