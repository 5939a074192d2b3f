import Glibc

/// A client that sends raw bytes, and blocks a thread of its own while it waits.
package enum RawClient {
    /// Sends `text` and reads until the other side closes. Returns `nil` if no program listens, or the other side never closes.
    package static func exchange(port: Int, _ text: String, v6: Bool = false) async -> String? {
        await run {
            guard let descriptor = connected(port: port, v6: v6) else { return nil }
            defer { close(descriptor) }
            sendAll(descriptor, Array(text.utf8))
            return readAll(descriptor)
        }
    }

    /// Sends a GET request with a `Host` field.
    package static func get(_ target: String, port: Int, headers: String = "") async -> String? {
        await exchange(port: port, "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(headers)\r\n")
    }

    /// Runs `body` on a thread of its own: it blocks, and a thread pool has few threads.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let work = Unmanaged.passRetained(Work { continuation.resume(returning: body()) })
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                    return nil
                }, work.toOpaque())
            pthread_detach(thread)
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Connects to a port on the loopback address. Returns `nil` on failure.
    package static func connected(port: Int, v6: Bool = false) -> CInt? {
        let descriptor = socket(v6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // A broken listener fails the test instead of blocking it.
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var status: CInt
        if v6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            address.sin6_addr = in6addr_loopback
            status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
            }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    /// Sends all bytes, or as many as the other side accepts.
    package static func sendAll(_ descriptor: CInt, _ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Returns everything up to the end of the connection, also after a reset; `nil` if the other side sends nothing for two minutes.
    package static func readAll(_ descriptor: CInt) -> String? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EAGAIN { return nil }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece.prefix(count)
        }
    }
}
