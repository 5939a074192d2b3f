import Glibc
import NIOCore

/// Whose program is at the other end of a connection on loopback. Every user of a machine can connect there, and can read in a list of
/// processes which address the browser was sent to; the person's own browser is the person's (RFC 8252 section 8.9).
enum PeerOwner: Equatable {
    /// The person's own, or the machine's: it can do everything anyway, and passes on what a desktop outside this system sends.
    case trusted
    /// Another user's, or nobody's any more.
    case stranger
    /// The system does not say.
    case unknown

    /// Looks for the peer's own socket: the one whose ends are ours, the other way round.
    ///
    /// - Parameters:
    ///   - user: whose program counts as the person's.
    ///   - seesAll: whether every program that can connect has a socket in the tables. On Windows' Linux subsystem, the browser has none.
    init(_ connection: (peer: SocketAddress, own: SocketAddress), in table: SocketTable?, user: uid_t = getuid(), seesAll: Bool = true) {
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

    /// How the kernel writes an address: its words as they lie in memory, each as a number. A program may reach an IPv4 address through a
    /// socket for IPv6.
    private static func spellings(of address: SocketAddress) -> [String] {
        func digits(_ number: UInt32, _ count: Int = 8) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: count - text.count) + text
        }
        func words(_ family: Int32, _ text: String) -> [UInt32] {
            var words = [UInt32](repeating: 0, count: family == AF_INET ? 1 : 4)
            return inet_pton(family, text, &words) == 1 ? words : []
        }
        guard let text = address.ipAddress, let port = address.port else { return [] }
        let end = ":" + digits(UInt32(port), 4)
        if address.protocol == .inet {
            let host = words(AF_INET, text).map { digits($0) }.joined() + end
            return [host, "0000000000000000\(digits(UInt32(bigEndian: 0x0000_FFFF)))\(host)"]
        }
        return [words(AF_INET6, text).map { digits($0) }.joined() + end]
    }
}
