package import NIOCore

/// The other end of an accepted connection to loopback. Every listener on loopback TCP asks who owns it.
package enum LoopbackPeer {
    /// Returns whether a program of another user is at the other end, or none any more. False where the system does not tell.
    package static func isAnotherUser(of channel: any Channel) -> Bool {
        func end(_ address: SocketAddress?) -> PeerOwner.End? {
            guard let address, let text = address.ipAddress, let port = address.port else { return nil }
            return PeerOwner.End(address: text, port: port)
        }
        guard let peer = end(channel.remoteAddress), let own = end(channel.localAddress) else { return true }
        return PeerOwner((peer, own), in: SocketTable.current(localPort: peer.port), seesAll: SocketTable.holdsEveryPeer) == .untrusted
    }
}
