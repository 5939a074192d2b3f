import Glibc

/// The kernel's list of listening sockets.
package enum ListeningSockets {
    /// Returns the local addresses that listen on a port, in the hexadecimal notation of /proc/net/tcp and tcp6.
    package static func addresses(port: Int) -> Set<String> {
        Set(
            ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { table -> [String] in
                guard let stream = fopen(table, "r") else { return [] }
                defer { fclose(stream) }
                var found: [String] = []
                var line = [CChar](repeating: 0, count: 512)
                while fgets(&line, 512, stream) != nil {
                    let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: " ")
                    let parts = fields.count > 3 ? fields[1].split(separator: ":") : []
                    if parts.count == 2, fields[3] == "0A", Int(parts[1], radix: 16) == port { found.append(String(parts[0])) }
                }
                return found
            })
    }

    /// 127.0.0.1 in the notation of /proc/net/tcp.
    package static let v4Loopback = "0100007F"
    /// ::1 in the notation of /proc/net/tcp6.
    package static let v6Loopback = "00000000000000000000000001000000"
}
