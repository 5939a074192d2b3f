import AuthModel
import CCurl

/// The tunnels of a loop: which of them can get further, and what to wait for.
struct CurlTunnels {
    typealias Handle = UnsafeMutableRawPointer

    private var tunnels: [Handle: CurlTunnel] = [:]
    private let time = SystemTimeSource()

    /// Makes a finished transfer a tunnel. Returns whether it has a connection.
    mutating func add(_ transfer: CurlTransfer) -> Bool {
        guard let tunnel = CurlTunnel(transfer, now: time.bootTime) else { return false }
        tunnels[transfer.easy] = tunnel
        return true
    }

    /// Lets a tunnel continue, because one of its ends is ready. Returns false if there is none.
    func wake(_ easy: Handle) -> Bool {
        tunnels[easy]?.wake()
        return tunnels[easy] != nil
    }

    mutating func remove(_ easy: Handle) { tunnels[easy] = nil }

    /// Moves the bytes of all tunnels that can get further. Returns those that have ended.
    mutating func advance() -> [(easy: Handle, result: Result<Void, AuthFailure>)] {
        guard !tunnels.isEmpty else { return [] }
        let now = time.bootTime
        return tunnels.compactMap { easy, tunnel in
            let result = tunnel.isReady ? tunnel.advance() : nil
            return (result ?? (tunnel.isInTime(now) ? nil : .failure(tunnel.lateness))).map { (easy, $0) }
        }
    }

    /// Waits until a transfer or a tunnel can continue, or the loop is woken. Returns false on failure.
    func wait(_ multi: Handle, milliseconds: Int32) -> Bool {
        guard !tunnels.isEmpty else { return ccurl_multi_wait(multi, nil, 0, milliseconds) == CURLM_OK }
        var waiting: [(tunnel: CurlTunnel, socket: curl_waitfd)] = []
        var limit = milliseconds
        let now = time.bootTime
        for tunnel in tunnels.values {
            if tunnel.isReady { limit = 0 }
            if !tunnel.isInTime(tunnel.deadline) {
                limit = min(limit, Int32(clamping: max(0, (tunnel.deadline - now).wholeMilliseconds) + 1))
            }
            // A socket for which nothing waits is left out: poll would return at once when its peer has closed it.
            guard tunnel.waitsToRead || tunnel.waitsToWrite else { continue }
            let events = (tunnel.waitsToRead ? CURL_WAIT_POLLIN : 0) | (tunnel.waitsToWrite ? CURL_WAIT_POLLOUT : 0)
            waiting.append((tunnel, curl_waitfd(fd: tunnel.socket, events: Int16(events), revents: 0)))
        }
        var sockets = waiting.map(\.socket)
        guard ccurl_multi_wait(multi, &sockets, UInt32(sockets.count), limit) == CURLM_OK else { return false }
        for (entry, socket) in zip(waiting, sockets) where socket.revents != 0 { entry.tunnel.wake() }
        return true
    }
}
