import Glibc

/// Whose program is at the other end of a connection on loopback. Every user of a machine can connect there, and can read in a list of
/// processes which address the browser was sent to; the person's own browser is the person's (RFC 8252 section 8.9).
enum PeerOwner: Equatable {
    /// The person's own, or the machine's: it can do everything anyway, and passes on what a desktop outside this system sends.
    case trusted
    /// Another user's, or nobody's any more.
    case stranger
    /// The system does not say.
    case unknown

    /// An end of a connection.
    struct End: Equatable, Sendable {
        /// `127.0.0.1`, say, or `::1`.
        var address: String
        var port: Int
    }

    /// Looks for the peer's own socket: the one whose ends are ours, the other way round.
    ///
    /// - Parameters:
    ///   - user: whose program counts as the person's.
    ///   - seesAll: whether every program that can connect has a socket in the tables. On Windows' Linux subsystem, the browser has none.
    init(_ connection: (peer: End, own: End), in table: SocketTable?, user: uid_t = getuid(), seesAll: Bool = true) {
        guard let table else {
            self = .unknown
            return
        }
        let (peers, owns) = (Self.spellings(of: connection.peer), Self.spellings(of: connection.own))
        let found = table.rows.first { peers.contains(String($0.local)) && owns.contains(String($0.remote)) }
        self =
            switch found {
            case nil: seesAll ? .stranger : .unknown
            // A closed socket belongs to nobody, and its row says root.
            case let row?: row.inode != "0" && [user, 0].contains(row.user) ? .trusted : .stranger
            }
    }

    /// How the kernel writes a loopback address: its words as they lie in memory, each as a number. A program may reach an IPv4 address
    /// through a socket for IPv6.
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
