import AuthModel
import CLibraries
import Glibc
import OAuth

/// A connection that is to leave HTTP: sends the request, reads the response, and after 101 passes bytes on in both directions. It lives on
/// the loop's thread.
///
/// libcurl makes the connection and its TLS (CURLOPT_CONNECT_ONLY); the bytes on it are read and written here.
final class CurlTunnel {
    /// The parameters with which a transfer becomes a tunnel.
    struct Plan: Sendable {
        /// The protocol in `Upgrade`.
        var name: String
        /// The bytes for the server after 101.
        var input: RequestBody
    }

    let transfer: CurlTransfer
    /// The socket, to wait for it.
    let socket: CInt
    /// The time by which the response's header must be complete, on the boot clock.
    let deadline: Duration
    /// Whether ``advance()`` may get further without a change of the socket.
    private(set) var isReady = true
    /// Whether it waits until the socket can be read, or written.
    private(set) var waitsToRead = false
    private(set) var waitsToWrite = false

    private let input: RequestBody
    private let stream: ResponseStream
    private var reader: UpgradeResponseReader
    private let outgoing: UnsafeMutableRawBufferPointer
    private var unsent: Range<Int>
    private let incoming: UnsafeMutableRawBufferPointer
    private var unread = 0..<0
    private var isAtEnd = false

    private static let bufferSize = 128 << 10
    /// The number of buffers that are moved in each direction before other transfers have their turn.
    private static let turns = 16

    /// Creates a tunnel on the connection of a finished transfer; `nil` if there is none.
    init?(_ transfer: CurlTransfer, now: Duration) {
        let socket = ccurl_easy_get_socket(transfer.easy)
        guard let plan = transfer.plan.tunnel, let stream = transfer.plan.stream, socket >= 0 else { return nil }
        self.transfer = transfer
        self.socket = socket
        self.stream = stream
        let policy = transfer.plan.policy
        deadline = now + policy.deadline
        input = plan.input
        reader = UpgradeResponseReader(
            protocolName: plan.name, byteLimit: min(policy.headerLimit, Self.bufferSize), countLimit: policy.headerCountLimit)
        let head = transfer.plan.upgradeRequest(plan.name)
        outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: max(Self.bufferSize, head.count), alignment: 1)
        outgoing.copyBytes(from: head)
        unsent = 0..<head.count
        incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 1)
    }

    deinit {
        wipeOutgoing()
        outgoing.deallocate()
        incoming.deallocate()
    }

    /// Notes that the socket is ready, or that one of the two ends is.
    func wake() { isReady = true }

    /// Whether the time for the response's header is not over, or no longer matters.
    func isInTime(_ now: Duration) -> Bool { reader.hasHead || now < deadline }

    /// Moves bytes as far as possible without waiting. Returns the result when the tunnel has ended.
    func advance() -> Result<Void, AuthFailure>? {
        isReady = false
        do throws(AuthFailure) {
            if try send() { return .success(()) }
            return try receive() ? .success(()) : nil
        } catch {
            return .failure(error)
        }
    }

    /// The failure of a server that does not answer in time.
    var timeoutFailure: AuthFailure { transfer.failure(CURLE_OPERATION_TIMEDOUT) }

    // MARK: To the server

    /// Sends the waiting bytes. Returns whether the input has ended and all of it is sent.
    private func send() throws(AuthFailure) -> Bool {
        waitsToWrite = false
        for _ in 0..<Self.turns {
            if unsent.isEmpty {
                guard reader.isUpgraded else { return false }
                switch input.read(into: outgoing) {
                case .bytes(let count): unsent = 0..<count
                case .later: return false
                case .end: return true
                case .abort: throw CurlFailure.cancelled
                }
            }
            guard let base = outgoing.baseAddress else { return false }
            var count = 0
            let code = ccurl_easy_send(transfer.easy, base + unsent.lowerBound, unsent.count, &count)
            if code == CURLE_AGAIN {
                waitsToWrite = true
                return false
            }
            guard code == CURLE_OK else { throw transfer.failure(code) }
            unsent = (unsent.lowerBound + count)..<unsent.upperBound
            // The request has the credential.
            if unsent.isEmpty, !reader.hasHead { wipeOutgoing() }
        }
        isReady = true
        return false
    }

    private func wipeOutgoing() {
        if let base = outgoing.baseAddress { explicit_bzero(base, outgoing.count) }
    }

    // MARK: From the server

    /// Reads and passes on the arrived bytes. Returns whether the response is complete.
    private func receive() throws(AuthFailure) -> Bool {
        waitsToRead = false
        for _ in 0..<Self.turns {
            switch try consume() {
            case .full: return false
            case .complete: return true
            case .needsMore: break
            }
            if isAtEnd {
                guard reader.mayEnd else { throw transfer.failure(reader.hasHead ? CURLE_PARTIAL_FILE : CURLE_GOT_NOTHING) }
                return true
            }
            guard let base = incoming.baseAddress else { return false }
            var count = 0
            let code = ccurl_easy_receive(transfer.easy, base + unread.upperBound, incoming.count - unread.upperBound, &count)
            if code == CURLE_AGAIN {
                waitsToRead = true
                return false
            }
            guard code == CURLE_OK else { throw transfer.failure(code) }
            if count == 0 { isAtEnd = true }
            unread = unread.lowerBound..<(unread.upperBound + count)
        }
        isReady = true
        return false
    }

    private enum Consumption {
        case needsMore
        /// The receiver has no room.
        case full
        case complete
    }

    /// Passes the received bytes on.
    private func consume() throws(AuthFailure) -> Consumption {
        while true {
            let bytes = UnsafeRawBufferPointer(rebasing: incoming[unread])
            switch try portion(of: bytes) {
            case .head(let count):
                drop(count)
                stream.begin(status: reader.status, headers: reader.headers)
                // What waits for 101 can be sent now.
                isReady = true
            case .framing(let count): drop(count)
            case .content(let count):
                guard stream.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count])) else { return .full }
                reader.passedOn(count)
                drop(count)
            case .incomplete:
                moveToFront()
                return .needsMore
            case .end: return .complete
            }
        }
    }

    private func portion(of bytes: UnsafeRawBufferPointer) throws(AuthFailure) -> UpgradeResponseReader.Portion {
        do throws(UpgradeResponseReader.Fault) {
            return try reader.portion(of: bytes)
        } catch {
            throw transfer.failure(CURLE_WEIRD_SERVER_REPLY, exceeded: error == .tooManyHeaders ? .headers : nil)
        }
    }

    private func drop(_ count: Int) {
        unread = (unread.lowerBound + count)..<unread.upperBound
    }

    /// Makes room for more bytes after an incomplete line.
    private func moveToFront() {
        guard unread.lowerBound > 0, let base = incoming.baseAddress else { return }
        memmove(base, base + unread.lowerBound, unread.count)
        unread = 0..<unread.count
    }
}

extension CurlTransfer.Plan {
    /// The request's head as it is sent. ``RequestCheck`` has refused fields that could end their line.
    fileprivate func upgradeRequest(_ name: String) -> [UInt8] {
        let url = request.url
        var fields: [(name: String, value: String)] = [("Host", url.origin.authority)]
        if !request.headers.contains(where: { $0.name.asciiLowercased() == "user-agent" }) { fields.append(("User-Agent", userAgent)) }
        fields += [("Connection", "Upgrade"), ("Upgrade", name)] + request.headers
        let target = "\(url.path.isEmpty ? "/" : url.path)\(url.query.map { "?" + $0 } ?? "")"
        let lines = ["GET \(target) HTTP/1.1"] + fields.map { "\($0.name): \($0.value)" } + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}

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
            return (result ?? (tunnel.isInTime(now) ? nil : .failure(tunnel.timeoutFailure))).map { (easy, $0) }
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
