import Glibc

/// The address of a Unix socket, as a system call takes it.
struct SocketAddress {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// A path must be shorter than this, in bytes.
    static let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    /// Creates an address; `nil` if the path is empty or too long. A path that starts with `@` is in the abstract namespace, as systemd
    /// writes it.
    init?(_ path: String) {
        var bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < Self.limit else { return nil }
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 0
        length = socklen_t(isAbstract ? start + bytes.count : MemoryLayout<sockaddr_un>.size)
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
