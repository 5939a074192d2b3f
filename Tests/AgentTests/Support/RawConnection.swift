import Glibc
import LocalServer
import ProcessHarness
import OperatingSystem

@testable import Agent
import OperatingSystem

/// A raw connection to the agent's socket.
final class RawConnection: Sendable {
    private let descriptor: Int32

    convenience init(_ place: AgentLocation) throws { try self.init(path: place.socket) }

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, let address = UnixSocketAddress(path), address.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
            throw HarnessError("cannot connect: \(SystemError.last.text)")
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Closes both directions.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Closes the sending direction; the connection can still be read.
    func closeSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads to the end of the connection.
    func readAll() async -> String { await read(upTo: nil) }

    /// Reads until the text ends with `end`, or to the end of the connection.
    func read(upTo end: String?) async -> String {
        let descriptor = descriptor
        return await DetachedThread.run(stackSize: 256 << 10) {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer[..<count]
                let text = String(decoding: bytes, as: UTF8.self)
                if let end, text.hasSuffix(end) { return text }
            }
        }
    }
}
