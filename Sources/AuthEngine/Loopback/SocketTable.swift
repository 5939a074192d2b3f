import AuthModel
import Glibc

/// The sockets of one local port in the kernel's tables, `/proc/net/tcp` and `/proc/net/tcp6`.
///
/// The tables also hold the closed connections of the last minute, thousands on a busy machine, and every callback looks for its peer
/// there. So lines are compared as bytes, and only those of the port become values.
struct SocketTable {
    /// A socket on this machine.
    struct Row: Equatable {
        /// Address and port as the kernel writes them, for example `0100007F:1F90`.
        var local: Substring
        var remote: Substring
        /// Two hexadecimal digits; `0A` is a listening socket.
        var state: Substring
        /// The owner, in this process's user namespace.
        var user: uid_t
        /// `0` for a socket that is no longer open in any process.
        var inode: Substring

        /// Parses a line: `sl local remote state tx:rx tr:when retransmits uid timeout inode …`; `nil` for the heading.
        init?(_ line: Substring) {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 9, let user = uid_t(fields[7]) else { return nil }
            local = fields[1]
            remote = fields[2]
            state = fields[3]
            self.user = user
            inode = fields[9]
        }
    }

    let rows: [Row]

    init(rows: [Row]) {
        self.rows = rows
    }

    /// Reads a table in the kernel's form.
    init(text: [UInt8], localPort: Int) {
        rows = text.withUnsafeBytes { Self.rows(in: $0, localPort: localPort) }
    }

    /// Returns the sockets that use a local port now; `nil` if the system has no table to read.
    static func current(localPort: Int) -> SocketTable? {
        let texts = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap(bytes)
        return texts.isEmpty ? nil : SocketTable(rows: texts.flatMap { SocketTable(text: $0, localPort: localPort).rows })
    }

    /// In a line, the local port follows the second colon, as four hexadecimal digits. The heading has no colon.
    private static func rows(in bytes: UnsafeRawBufferPointer, localPort: Int) -> [Row] {
        func offset(of byte: UInt8, from start: Int, to end: Int) -> Int? {
            guard start < end, let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), end - start) else { return nil }
            return UnsafeRawPointer(found) - base
        }
        let hexadecimal = String(localPort, radix: 16, uppercase: true)
        let port = Array((String(repeating: "0", count: max(0, 4 - hexadecimal.count)) + hexadecimal).utf8)
        var rows: [Row] = []
        var start = 0
        while start < bytes.count {
            let end = offset(of: UInt8(ascii: "\n"), from: start, to: bytes.count) ?? bytes.count
            if let number = offset(of: UInt8(ascii: ":"), from: start, to: end),
                let address = offset(of: UInt8(ascii: ":"), from: number + 1, to: end),
                address + port.count < end, bytes[address + 1..<address + 1 + port.count].elementsEqual(port),
                let row = Row(Substring(decoding: bytes[start..<end], as: UTF8.self))
            {
                rows.append(row)
            }
            start = end + 1
        }
        return rows
    }

    /// Whether every program that can connect to this machine has its socket in the tables. On Windows Subsystem for Linux, the browser
    /// runs outside and has none.
    static let holdsEveryPeer = text(of: "/proc/sys/kernel/osrelease")?.asciiLowercased().contains("microsoft") != true

    static func text(of path: String) -> String? { bytes(of: path).map { String(decoding: $0, as: UTF8.self) } }

    private static func bytes(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }
}
