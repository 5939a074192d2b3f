import Glibc

/// A port on 127.0.0.1.
public struct LoopbackPort: Sendable {
    /// The port number.
    public let number: Int

    /// Creates a reference to the port.
    public init(_ number: Int) {
        self.number = number
    }

    /// Whether a program listens on it now. Asks the kernel, so that the listener receives no connection.
    public var isOpen: Bool {
        let table = open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
        guard table >= 0 else { return false }
        defer { close(table) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(table, &part, part.count), count > 0 { bytes += part[..<count] }
        let hexadecimal = String(number, radix: 16, uppercase: true)
        let address = "0100007F:" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            // 0A is the state of a listening socket.
            return fields.count > 3 && fields[1] == address && fields[3] == "0A"
        }
    }
}
