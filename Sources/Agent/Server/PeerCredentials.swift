import Glibc
import NIOCore

/// `struct ucred` of Linux, which the Glibc module does not export.
struct PeerCredentials {
    var process: pid_t = 0
    var user: uid_t = 0
    var group: gid_t = 0

    /// Reads the credentials of the process at the other end of a connection.
    static func read(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        return provider.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }
}
