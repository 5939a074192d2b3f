import Glibc
import LocalServer
import ProcessHarness
import OperatingSystem
import Testing

@testable import Agent

/// Receives the agent's readiness notification, as systemd does.
final class ReadyListener: Sendable {
    let path: String
    private let socket: Int32

    init(in home: TemporaryHome) throws {
        path = home.path + "/notify"
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let address = try #require(UnixSocketAddress(path))
        try #require(address.withPointer { bind(socket, $0, $1) } == 0)
        var timeout = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    func wait() async throws {
        let socket = socket
        let text = await DetachedThread.run(stackSize: 256 << 10) {
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = recv(socket, &buffer, buffer.count, 0)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
        try #require(text.hasPrefix("READY=1\n"))
    }
}
