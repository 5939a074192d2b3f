internal import AuthModel
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// Connections that are passed on as they are: to the addresses of a host, but never to this machine.
enum ProxyTunnel {
    /// The reason why there is no connection, as a sentence for the client.
    struct Refusal: Error { let reason: String }

    private static let connectTimeout = TimeAmount.seconds(30)

    /// Connects to a host.
    ///
    /// The name is resolved once, and the connection goes to the addresses that were checked: a second look-up could give others.
    static func connect(to origin: Origin, on loop: any EventLoop) async throws -> any Channel {
        let addresses = try await addresses(of: origin)
        let own = ownAddresses()
        if let address = addresses.first(where: { isOfThisMachine($0, own: own) }) {
            let name = address == origin.host ? "" : "\(origin.host) is "
            throw Refusal(reason: "\(name)\(address)\(name.isEmpty ? " is" : ",") an address of this machine or of its network's services")
        }
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(connectTimeout).channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false).channelOption(.tcpOption(.tcp_nodelay), value: 1)
        for address in addresses {
            guard let place = try? SocketAddress(ipAddress: address, port: origin.port) else { continue }
            if let channel = try? await bootstrap.connect(to: place).get() { return channel }
        }
        throw Refusal(reason: "\(origin.host) accepts no connection at port \(origin.port)")
    }

    /// Returns the addresses of a host, without duplicates.
    private static func addresses(of origin: Origin) async throws -> [String] {
        let host = origin.host
        let found = try await NIOThreadPool.singleton.runIfActive { () -> [String] in
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
            defer { freeaddrinfo(list) }
            return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
                guard let entry = entry?.pointee else { return nil }
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let status = getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                return status == 0 ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
            }
        }
        guard !found.isEmpty else { throw Refusal(reason: "\(host) has no address") }
        var known: Set<String> = []
        return found.filter { known.insert($0).inserted }
    }

    /// Returns the bytes of the addresses of this machine's interfaces.
    static func ownAddresses() -> Set<[UInt8]> {
        let devices = (try? System.enumerateDevices()) ?? []
        return Set(devices.compactMap { $0.address?.ipAddress.flatMap(bytes) })
    }

    /// Returns the 4 or 16 bytes of an address; `nil` for other texts.
    private static func bytes(_ text: String) -> [UInt8]? {
        let text = String(text.prefix { $0 != "%" })
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }

    /// Returns whether an address is loopback, link-local (RFC 3927, RFC 4291 section 2.5.6), unspecified, multicast or reserved, or that
    /// of a cloud's metadata service. A text that is no address counts as one.
    ///
    /// - Parameter own: the bytes of further addresses of this machine.
    static func isOfThisMachine(_ text: String, own: Set<[UInt8]> = []) -> Bool {
        guard let bytes = bytes(text) else { return true }
        if bytes.count == 4 { return isOfThisMachine(bytes, own) }
        // fe80::/10, multicast, and the services of clouds.
        if own.contains(bytes) || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 || bytes[0] == 0xFF { return true }
        if services.contains(where: { bytes.starts(with: $0) }) { return true }
        // IPv4 in IPv6: mapped and compatible (RFC 4291 section 2.5.5), with `::` and `::1` among them; translated (RFC 7915); NAT64 (RFC
        // 6052), 6to4 (RFC 3056).
        let tail = Array(bytes.suffix(4))
        let forms: [[UInt8]] = [[0, 0, 0, 0], [0, 0, 0xFF, 0xFF], [0xFF, 0xFF, 0, 0]]
        if bytes.prefix(8).allSatisfy({ $0 == 0 }), forms.contains(Array(bytes[8..<12])) { return isOfThisMachine(tail, own) }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) { return isOfThisMachine(tail, own) }
        // Teredo (RFC 4380), which has the inverted address of its client.
        if bytes.starts(with: [0x20, 0x01, 0, 0]) { return isOfThisMachine(tail.map(~), own) }
        return bytes.starts(with: [0x20, 0x02]) && isOfThisMachine(Array(bytes[2..<6]), own)
    }

    private static func isOfThisMachine(_ bytes: [UInt8], _ own: Set<[UInt8]>) -> Bool {
        [0, 127].contains(bytes[0]) || bytes.starts(with: [169, 254]) || bytes[0] >= 224 || own.contains(bytes)
            // The services of Alibaba Cloud, Oracle Cloud, and Azure.
            || [[100, 100, 100, 200], [192, 0, 0, 192], [168, 63, 129, 16]].contains(bytes)
    }

    /// The beginnings of the addresses where clouds give a machine its metadata, and often credentials, by IPv6.
    private static let services: [[UInt8]] = [
        // AWS: all of fd00:ec2::/32, where other services are too, such as the one for credentials of EKS.
        [0xFD, 0, 0x0E, 0xC2],
        // Google Cloud: fd20:ce::254.
        [0xFD, 0x20, 0, 0xCE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
        // Oracle Cloud: fd00:c1::a9fe:a9fe.
        [0xFD, 0, 0, 0xC1, 0, 0, 0, 0, 0, 0, 0, 0, 0xA9, 0xFE, 0xA9, 0xFE],
        // Scaleway: fd00:42::42.
        [0xFD, 0, 0, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42],
        // Linode: fd00:a9fe:a9fe::1.
        [0xFD, 0, 0xA9, 0xFE, 0xA9, 0xFE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        // Alibaba Cloud: fd00:100::100:200.
        [0xFD, 0, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0, 0x02, 0],
    ]

    /// Passes bytes on in both directions until both sides have ended. Both channels are on the same event loop.
    ///
    /// - Parameter begin: called on the event loop when both ends are joined.
    static func join(_ client: any Channel, _ server: any Channel, begin: @escaping @Sendable () throws -> Void) async throws {
        do {
            try await client.setOption(.allowRemoteHalfClosure, value: true).get()
            try await client.eventLoop.submit {
                let (one, other) = TunnelEnd.pair()
                try server.pipeline.syncOperations.addHandler(other)
                try client.pipeline.syncOperations.addHandler(one)
                try begin()
            }.get()
        } catch {
            // The client has gone.
            server.close(promise: nil)
            throw error
        }
        try await withTaskCancellationHandler {
            try await client.closeFuture.get()
            try await server.closeFuture.get()
        } onCancel: {
            client.close(promise: nil)
            server.close(promise: nil)
        }
    }
}

/// One end of a tunnel. It reads only what the other end can write.
private final class TunnelEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var other: TunnelEnd?
    private var context: ChannelHandlerContext?
    private var wantsToRead = false

    static func pair() -> (TunnelEnd, TunnelEnd) {
        let (one, other) = (TunnelEnd(), TunnelEnd())
        (one.other, other.other) = (other, one)
        return (one, other)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The first end is added before the second exists, and waits for it.
        other?.otherIsThere()
        if other?.context != nil { context.read() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        other = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other?.context?.write(wrapOutboundOut(unwrapInboundIn(data)), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        other?.context?.flush()
        context.fireChannelReadComplete()
        readMore(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, case .inputClosed = event { other?.end(.output) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        other?.end(.all)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { other?.continueReading() }
        context.fireChannelWritabilityChanged()
    }

    /// Ends the connection after the bytes that wait to be sent: NIO drops them if the other direction has ended before.
    private func end(_ mode: CloseMode) {
        guard let context else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        sent.futureResult.whenComplete { _ in channel.close(mode: mode, promise: nil) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    private func otherIsThere() { context?.read() }

    private func readMore(_ context: ChannelHandlerContext) {
        guard other?.context?.channel.isWritable == true else { return wantsToRead = true }
        context.read()
    }

    private func continueReading() {
        guard wantsToRead, let context else { return }
        wantsToRead = false
        context.read()
    }
}
