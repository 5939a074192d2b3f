internal import Glibc
internal import OperatingSystem

/// Tests whether a port can be opened on a loopback address.
enum LoopbackCheck {
    /// Opens and closes a port on `address` (0: any free port). Returns the error if that fails.
    static func bind(_ address: String, port: Int = 0) -> SystemError? {
        let isV6 = address.contains(":")
        let descriptor = socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return .last }
        defer { close(descriptor) }
        let status = isV6 ? bindV6(descriptor, UInt16(port)) : bindV4(descriptor, UInt16(port))
        return status == 0 ? nil : .last
    }

    private static func bindV4(_ descriptor: Int32, _ port: UInt16) -> Int32 {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindV6(_ descriptor: Int32, _ port: UInt16) -> Int32 {
        var place = sockaddr_in6()
        place.sin6_family = sa_family_t(AF_INET6)
        place.sin6_port = port.bigEndian
        inet_pton(AF_INET6, "::1", &place.sin6_addr)
        return withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}
