internal import Glibc

/// Tries whether a port can be opened on loopback.
enum LoopbackProbe {
    /// Opens any free port on `address` and closes it again; the reason where that does not work.
    static func bind(_ address: String) -> SystemError? {
        let isV6 = address.contains(":")
        let descriptor = socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return .last }
        defer { close(descriptor) }
        let status = isV6 ? bindV6(descriptor) : bindV4(descriptor)
        return status == 0 ? nil : .last
    }

    private static func bindV4(_ descriptor: Int32) -> Int32 {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindV6(_ descriptor: Int32) -> Int32 {
        var place = sockaddr_in6()
        place.sin6_family = sa_family_t(AF_INET6)
        inet_pton(AF_INET6, "::1", &place.sin6_addr)
        return withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}
