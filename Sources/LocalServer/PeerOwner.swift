package import Glibc
package import NIOCore

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
