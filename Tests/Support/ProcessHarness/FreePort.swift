import Glibc
import Synchronization

/// A port for a server that is started later.
package enum FreePort {
    /// Returns a random port that is free on 127.0.0.1 and outside the kernel's range of automatic ports, so that no connection or server
    /// of another test gets it in the meantime. Each port is returned once. Throws ``NotFound`` if none of many ports is free.
    package static func find() throws -> Int {
        for _ in 0..<200 {
            let port = Int.random(in: 10_240..<firstAutomaticPort)
            if isFree(port), given.withLock({ $0.insert(port).inserted }) { return port }
        }
        throw NotFound()
    }

    package struct NotFound: Error {}

    private static let given = Mutex<Set<Int>>([])

    private static let firstAutomaticPort: Int = {
        let standard = 32_768
        guard let stream = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r") else { return standard }
        defer { fclose(stream) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, stream) != nil else { return standard }
        let first = strtol(line, nil, 10)
        return first > 12_000 ? min(first, standard) : standard
    }()

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
        }
    }
}
