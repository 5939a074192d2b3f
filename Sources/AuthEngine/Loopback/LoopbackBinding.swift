import AuthModel
import Glibc
import NIOCore
import NIOPosix
import OperatingSystem

/// Listening sockets on the loopback literals of a redirect rule, all on the same port.
struct LoopbackBinding: Sendable {
    /// The reason why a rule could not be bound.
    enum Failure: Error, Equatable {
        /// Another program uses the port; `holder` names it if the system tells.
        case taken(port: Int, holder: UserMessage?)
        /// The port needs a privilege.
        case forbidden(port: Int)
        /// This machine does not have the address.
        case noAddress(host: String)
        case other(host: UserMessage, reason: UserMessage)
    }

    let port: Int
    private let sockets: [CInt]

    /// Binds the sockets and listens on them without answering yet. From now on no other program can take the port.
    static func reserve(_ rule: RedirectRule) throws(Failure) -> LoopbackBinding {
        if let port = rule.port { return try reserve(rule.host, port: port) }
        // A port that is free on one address may be in use on the other, so try several.
        for _ in 1..<16 {
            do throws(Failure) {
                return try reserve(rule.host, port: 0)
            } catch .taken {
                continue
            }
        }
        return try reserve(rule.host, port: 0)
    }

    private static func reserve(_ host: String, port: Int) throws(Failure) -> LoopbackBinding {
        let addresses: [LoopbackAddress] = host == "localhost" ? [.v4, .v6] : host == "::1" ? [.v6] : [.v4]
        var sockets: [CInt] = []
        var bound = port
        do throws(Failure) {
            for address in addresses {
                do throws(Failure) {
                    let socket = try address.listen(port: bound, isFixed: port != 0)
                    sockets.append(socket.descriptor)
                    bound = socket.port
                } catch .noAddress where addresses.count > 1 {
                    continue
                }
            }
            guard !sockets.isEmpty else { throw .noAddress(host: host) }
        } catch {
            for socket in sockets { Glibc.close(socket) }
            throw error
        }
        return LoopbackBinding(port: bound, sockets: sockets)
    }

    /// Releases the port, when no listener will be started on it.
    func close() { for socket in sockets { Glibc.close(socket) } }

    /// Starts answering. `initializer` sets up each connection on its event loop.
    func listen(_ initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>) async throws(Failure) -> [any Channel] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        var channels: [any Channel] = []
        for (index, socket) in sockets.enumerated() {
            do {
                channels.append(try await ServerBootstrap(group: loop).childChannelInitializer(initializer).withBoundSocket(socket).get())
            } catch {
                for unused in sockets[(index + 1)...] { Glibc.close(unused) }
                for channel in channels { channel.close(promise: nil) }
                throw .other(host: "phrase.loopback_address", reason: "phrase.no_event_loop")
            }
        }
        return channels
    }
}

/// A loopback literal.
private enum LoopbackAddress: String {
    case v4 = "127.0.0.1"
    case v6 = "::1"

    /// Opens a listening socket on this address.
    ///
    /// - Parameter isFixed: whether the caller chose the port number.
    func listen(port: Int, isFixed: Bool) throws(LoopbackBinding.Failure) -> (descriptor: CInt, port: Int) {
        let descriptor = socket(self == .v4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure(errno, port) }
        var isKept = false
        defer { if !isKept { close(descriptor) } }
        // Without SO_REUSEADDR, a fixed port would be refused for a minute after the last sign-in, while its connections linger. It shares
        // nothing: Linux lets two sockets listen on one address and port only if both set SO_REUSEPORT, and this one never does.
        if isFixed {
            var on: CInt = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        }
        guard bind(descriptor, port: port) == 0, Glibc.listen(descriptor, 64) == 0 else {
            throw failure(errno, port)
        }
        guard let bound = boundPort(descriptor) else { throw failure(errno, port) }
        isKept = true
        return (descriptor, bound)
    }

    /// Binds to the address, written byte by byte as `sockaddr_in` or `sockaddr_in6`. These types cannot be named here: the event loop's
    /// headers define them too, and it is undefined which of the two the compiler picks.
    private func bind(_ descriptor: CInt, port: Int) -> CInt {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
        let family = sa_family_t(self == .v4 ? AF_INET : AF_INET6)
        let host: [UInt8] =
            switch self {
            case .v4: [127, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
            // Flow info, the 16 bytes of the address, scope.
            case .v6: [UInt8](repeating: 0, count: 4 + 15) + [1] + [UInt8](repeating: 0, count: 4)
            }
        let address = bytes(family) + bytes(in_port_t(port).bigEndian) + host
        return address.withUnsafeBytes { buffer in
            buffer.baseAddress.map { Glibc.bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count)) } ?? -1
        }
    }

    private func boundPort(_ descriptor: CInt) -> Int? {
        var address = [UInt8](repeating: 0, count: 128)
        var size = socklen_t(address.count)
        let status = address.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &size) } ?? -1
        }
        // The port follows the family in both structures.
        return status == 0 ? Int(address[2]) << 8 | Int(address[3]) : nil
    }

    private func failure(_ code: Int32, _ port: Int) -> LoopbackBinding.Failure {
        switch code {
        case EADDRINUSE: .taken(port: port, holder: PortOwner.name(port: port))
        case EACCES, EPERM: .forbidden(port: port)
        case EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT: .noAddress(host: rawValue)
        default: .other(host: .verbatim(rawValue), reason: .verbatim(SystemError(number: code).text))
        }
    }
}

extension LoopbackBinding.Failure {
    /// Combines the failures of all rules that were tried into one.
    static func combined(_ failures: [LoopbackBinding.Failure]) -> AuthFailure {
        guard let last = failures.last else {
            return AuthFailure(
                .configuration, "callback.no_redirect", hint: UserMessage("hint.set_redirect", ["redirect": RedirectRule.standard]))
        }
        let texts = failures.map(\.text)
        return AuthFailure(.configuration, .list(texts, by: .semicolon), hint: last.hint)
    }

    private var text: UserMessage {
        switch self {
        case .taken(let port, let holder):
            holder.map { UserMessage("callback.port_in_use_by", ["port": port, "program": $0]) }
                ?? UserMessage("callback.port_in_use", ["port": port])
        case .forbidden(let port): UserMessage("callback.port_needs_privileges", ["port": port])
        case .noAddress(let host): UserMessage("callback.address_not_available", ["host": host])
        case .other(let host, let reason): UserMessage("callback.cannot_listen", ["host": host, "reason": reason])
        }
    }

    private var hint: UserMessage {
        switch self {
        case .taken: "hint.stop_program_or_other_redirect"
        case .forbidden: "hint.register_port_above_1023"
        case .noAddress(let host): host == "::1" ? "hint.set_redirect_ipv4" : "hint.set_redirect_ipv6"
        case .other: "hint.run_doctor"
        }
    }
}
