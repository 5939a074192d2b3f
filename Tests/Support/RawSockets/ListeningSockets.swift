import Glibc

/// What the kernel says about listening sockets.
package enum ListeningSockets {
    /// Local addresses, in the hexadecimal of /proc/net/tcp and tcp6, that listen on a port.
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

    package static let v4Loopback = "0100007F"
    package static let v6Loopback = "00000000000000000000000001000000"
}
