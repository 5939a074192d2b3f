import Glibc

/// The kernel's tables of TCP sockets, `/proc/net/tcp` and `/proc/net/tcp6`.
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

        var localPort: Int? { local.split(separator: ":").last.flatMap { Int($0, radix: 16) } }
    }

    let rows: [Row]

    init(rows: [Row]) {
        self.rows = rows
    }

    init(text: String) {
        rows = text.split(separator: "\n").compactMap(Row.init)
    }

    /// Returns the current tables; `nil` if the system has none to read.
    static func current() -> SocketTable? {
        let texts = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap(text)
        return texts.isEmpty ? nil : SocketTable(rows: texts.flatMap { SocketTable(text: $0).rows })
    }

    /// Whether every program that can connect to this machine has its socket in the tables. On Windows Subsystem for Linux, the browser
    /// runs outside and has none.
    static let holdsEveryPeer = text(of: "/proc/sys/kernel/osrelease")?.lowercased().contains("microsoft") != true

    static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
