import Glibc
package import OperatingSystem

/// Listening sockets on loopback addresses, all on the same port.
package struct LoopbackBinding: Sendable {
    /// The reason why a port could not be bound.
    package enum Failure: Error, Equatable {
        /// Another program uses the port; `holder` names it if the system tells.
        case inUse(port: Int, holder: PortOwner?)
        /// The port needs a privilege.
        case forbidden(port: Int)
        /// This machine does not have the address.
        case noAddress(host: String)
        case other(host: String, SystemError)
        /// The sockets are bound, but cannot be served.
        case noEventLoop
    }

    /// The port number.
    package let port: Int
    /// The sockets. They belong to the server that is started with them.
    package let sockets: [CInt]

    /// Binds the sockets and listens on them without answering yet. From now on no other program can take the port.
    ///
    /// - Parameters:
    ///   - host: `127.0.0.1`, `::1`, or `localhost` for both, as far as the machine has them.
    ///   - port: the port number; any free port if `nil`.
    package static func reserve(_ host: String, port: Int?) throws(Failure) -> LoopbackBinding {
        if let port { return try bind(host, port: port) }
        // A port that is free on one address may be in use on the other, so try several.
        for _ in 1..<16 {
            do throws(Failure) {
                return try bind(host, port: 0)
            } catch .inUse {
                continue
            }
        }
        return try bind(host, port: 0)
    }

    private static func bind(_ host: String, port: Int) throws(Failure) -> LoopbackBinding {
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
            for socket in sockets { close(socket) }
            throw error
        }
        return LoopbackBinding(port: bound, sockets: sockets)
    }

    /// Releases the port, when no server will be started on it.
    package func close() { for socket in sockets { Self.close(socket) } }

    static func close(_ socket: CInt) {
        stopListening(socket)
        Glibc.close(socket)
    }

    /// Refuses new connections from now on. Closing the socket is not enough: a program that another thread starts at this moment has a
    /// copy of it until its `execve`, and the port would accept connections that nothing serves.
    static func stopListening(_ socket: CInt) { _ = shutdown(socket, CInt(SHUT_RDWR)) }
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
        case EADDRINUSE: .inUse(port: port, holder: PortOwner(port: port))
        case EACCES, EPERM: .forbidden(port: port)
        case EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT: .noAddress(host: rawValue)
        default: .other(host: rawValue, SystemError(number: code))
        }
    }
}
