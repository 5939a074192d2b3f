import Glibc
import LocalServer
import ProcessHarness
import Synchronization
import OperatingSystem
import Testing

@testable import Agent

/// A process that listens on an agent's socket and does not answer: it writes part of a response and nothing more, or closes each
/// connection after the request.
final class SilentAgent: Sendable {
    let home: TemporaryHome
    let place: AgentLocation
    private let listener: Int32
    private let count = Mutex(0)
    private let open = Mutex<[Int32]>([])

    /// The number of accepted connections.
    var connections: Int { count.withLock { $0 } }

    /// Closes the connections that are open, once there is one.
    func hangUp() async {
        while open.withLock({ $0.isEmpty }) { await Task.yield() }
        let ending = open.withLock { open in
            defer { open = [] }
            return open
        }
        for connection in ending { close(connection) }
    }

    /// - Parameter part: The text that it writes; if nil, it closes the connection instead.
    init(saying part: String?) throws {
        home = try TemporaryHome()
        place = AgentLocation(environment: home.environment)
        try place.prepare()
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let address = try #require(UnixSocketAddress(place.socket))
        try #require(address.withPointer { bind(listener, $0, $1) } == 0 && listen(listener, 8) == 0)
        let socket = listener
        DetachedThread.startOrRun(stackSize: 256 << 10) { [weak self] in
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else {
                    if errno == EINTR { continue }
                    // Here and not in deinit: this thread would accept for the next listener that gets the number.
                    close(socket)
                    return
                }
                guard let self else {
                    close(connection)
                    continue
                }
                self.count.withLock { $0 += 1 }
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = read(connection, &buffer, buffer.count)
                guard let part else {
                    close(connection)
                    continue
                }
                _ = write(connection, part, part.utf8.count)
                self.open.withLock { $0.append(connection) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in open.withLock({ $0 }) { close(connection) }
    }
}
