import Glibc

/// Test sockets on 127.0.0.1.
enum LocalPort {
    /// Binds to 127.0.0.1, or to all addresses, and returns the port; nil if the system refuses.
    static func bind(_ descriptor: CInt, port: Int = 0, any: Bool = false) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = any ? 0 : in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard Glibc.bind(descriptor, address, size) == 0, getsockname(descriptor, address, &size) == 0 else { return nil }
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(in_port_t(bigEndian: $0.pointee.sin_port)) }
            }
        }
    }

    /// Binds and listens with address and port reuse; returns nil if the system refuses.
    static func listenSharing(port: Int, any: Bool) -> CInt? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var on: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, 4)
        guard bind(descriptor, port: port, any: any) != nil, listen(descriptor, 1) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
