package import Glibc
package import NIOCore
internal import OperatingSystem

/// The owner of the program at the other end of a loopback connection.
///
/// Every user of a machine can connect to loopback, and can read the URL that the browser was started with in the process list. A
/// connection is trusted only if this user's own browser made it (RFC 8252 section 8.9).
package enum PeerOwner: Equatable {
    /// This user, or root. Root can do everything anyway, and forwards what a desktop outside this system sends.
    case trusted
    /// Another user, or a socket that is closed.
    case untrusted
    /// The system does not tell.
    case unknown

    /// One end of a connection.
    struct End: Equatable, Sendable {
        /// The address, for example `127.0.0.1` or `::1`.
        var address: String
        var port: Int
    }

    /// Returns whether a program of another user is at the other end of a connection to loopback, or none any more. False where the system
    /// does not tell. Every listener on loopback TCP asks this.
    ///
    /// - Parameter user: the user whose programs are trusted.
    package static func isAnotherUser(than user: uid_t = getuid(), of channel: any Channel) -> Bool {
        guard let ends = ends(of: channel) else { return true }
        let table = SocketTable.current(localPort: ends.peer.port)
        return PeerOwner(ends, in: table, user: user, seesAll: SocketTable.holdsEveryPeer) == .untrusted
    }

    /// Returns both ends of a connection; `nil` if it is none by TCP.
    static func ends(of channel: any Channel) -> (peer: End, own: End)? {
        func end(_ address: SocketAddress?) -> End? {
            guard let address, let text = address.ipAddress, let port = address.port else { return nil }
            return End(address: text, port: port)
        }
        guard let peer = end(channel.remoteAddress), let own = end(channel.localAddress) else { return nil }
        return (peer, own)
    }

    /// Returns the peer's socket: the row with our two ends swapped.
    static func socket(of connection: (peer: End, own: End), in table: SocketTable) -> SocketTable.Row? {
        let (peers, owns) = (spellings(of: connection.peer), spellings(of: connection.own))
        return table.rows.first { peers.contains(String($0.local)) && owns.contains(String($0.remote)) }
    }

    /// Looks for the peer's socket.
    ///
    /// - Parameters:
    ///   - table: the sockets of the peer's port.
    ///   - user: the user whose programs are trusted.
    ///   - seesAll: whether every program that can connect has a socket in the tables. On Windows Subsystem for Linux, the browser has
    ///     none.
    init(_ connection: (peer: End, own: End), in table: SocketTable?, user: uid_t = getuid(), seesAll: Bool = true) {
        guard let table else {
            self = .unknown
            return
        }
        self =
            switch Self.socket(of: connection, in: table) {
            case nil: seesAll ? .untrusted : .unknown
            // A closed socket has no owner, and its row says root.
            case let row?: row.inode != "0" && [user, 0].contains(row.user) ? .trusted : .untrusted
            }
    }

    /// Returns the forms in which the kernel writes a loopback address: its words as they lie in memory, each as a hexadecimal number. The
    /// second form is for a program that reaches an IPv4 address through an IPv6 socket.
    private static func spellings(of end: End) -> [String] {
        func digits(_ number: UInt32, _ count: Int = 8) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: count - text.count) + text
        }
        let port = ":" + digits(UInt32(end.port), 4)
        if end.address == "::1" { return ["000000000000000000000000" + digits(UInt32(bigEndian: 1)) + port] }
        let parts = end.address.split(separator: ".").compactMap { UInt32($0) }
        guard parts.count == 4 else { return [] }
        let host = digits(UInt32(bigEndian: parts.reduce(0) { $0 << 8 | $1 & 0xFF })) + port
        return [host, "0000000000000000" + digits(UInt32(bigEndian: 0x0000_FFFF)) + host]
    }
}

/// The process at the other end of a Unix socket: `struct ucred` of Linux, which the Glibc module does not export.
package struct PeerCredentials: Sendable {
    package var process: pid_t = 0
    package var user: uid_t = 0
    package var group: gid_t = 0

    /// Reads the credentials of the process at the other end of a connection.
    package static func read(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return provider.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }
}

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
    ///
    /// - Parameter process: the process whose network namespace it is; `nil` for this one's.
    static func current(localPort: Int, of process: Int32? = nil) -> SocketTable? {
        let folder = "/proc/\(process.map(String.init) ?? "self")/net"
        let texts = ["\(folder)/tcp", "\(folder)/tcp6"].compactMap { try? RegularFile.readTable($0) }
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
    static let holdsEveryPeer = text(of: "/proc/sys/kernel/osrelease")?.lowercased().contains("microsoft") != true

    static func text(of path: String) -> String? {
        (try? RegularFile.readTable(path)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The program that listens on a port.
package struct PortOwner: Equatable, Sendable {
    /// The name of the command. A program chooses its own name, so it has only printable ASCII characters.
    package let name: String
    /// The number of the process.
    package let process: String

    /// Looks for the program, as far as this user may see it; `nil` if it belongs to another user.
    init?(port: Int) {
        let table = SocketTable.current(localPort: port)
        let links = Set(table?.rows.filter { $0.state == "0A" }.map { "socket:[\($0.inode)]" } ?? [])
        guard !links.isEmpty else { return nil }
        for process in FolderListing.names(in: "/proc") where process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            for descriptor in FolderListing.names(in: "/proc/\(process)/fd")
            where links.contains(SymbolicLink.target(of: "/proc/\(process)/fd/\(descriptor)") ?? "") {
                let command = SocketTable.text(of: "/proc/\(process)/comm") ?? ""
                name = String(String.UnicodeScalarView(command.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }))
                self.process = process
                return
            }
        }
        return nil
    }
}

/// The process at the other end of a connection to loopback, among those that this process started.
package enum ClientProcess {
    /// Returns its number; `nil` if this process has not started it, directly or through others, and where the system does not tell. Takes
    /// some milliseconds.
    ///
    /// - Parameter other: a process in the network namespace of the connection; `nil` for this process's.
    package static func number(of channel: any Channel, in other: Int32? = nil) -> Int32? {
        guard let ends = PeerOwner.ends(of: channel), let table = SocketTable.current(localPort: ends.peer.port, of: other),
            let row = PeerOwner.socket(of: ends, in: table), row.inode != "0"
        else { return nil }
        let link = "socket:[\(row.inode)]"
        return descendants(of: getpid()).first { process in
            FolderListing.names(in: "/proc/\(process)/fd").contains { SymbolicLink.target(of: "/proc/\(process)/fd/\($0)") == link }
        }
    }

    /// Returns the processes that a process started, directly or through others.
    static func descendants(of process: Int32) -> [Int32] {
        var children: [Int32: [Int32]] = [:]
        for number in FolderListing.names(in: "/proc").compactMap({ Int32($0) }) {
            guard let text = SocketTable.text(of: "/proc/\(number)/stat"), let end = text.lastIndex(of: ")") else { continue }
            // The name in parentheses may contain any character; the parent is the second field after it.
            let fields = text[text.index(after: end)...].split(separator: " ", maxSplits: 2)
            if fields.count > 1, let parent = Int32(fields[1]) { children[parent, default: []].append(number) }
        }
        var found = children[process] ?? []
        var next = 0
        while next < found.count {
            found += children[found[next]] ?? []
            next += 1
        }
        return found
    }
}
