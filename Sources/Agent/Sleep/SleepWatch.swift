import CAgent
import Dispatch
import Glibc
import LocalServer
import Synchronization

/// Reports that the machine is about to sleep, as systemd-logind announces it on the system bus, and delays the sleep until it is allowed,
/// for at most the time that logind grants (default: five seconds).
///
/// Without a system bus or logind it reports nothing. It uses one socket and wakes up only for messages.
final class SleepWatch: Sendable {
    enum Event: Equatable, Sendable { case aboutToSleep, woke }

    private struct State {
        var talk = LogindConnection()
        /// Received descriptors, in order.
        var arrived: [Int32] = []
        /// While this descriptor is open, the next sleep waits.
        var inhibitor: Int32?
        /// The inhibitor of the last announced sleep. A new one may arrive before this one is closed, because logind does not wait forever.
        var held: Int32?
    }

    /// The events, until the bus is gone; for one reader.
    let events: AsyncStream<Event>
    private let happened: AsyncStream<Event>.Continuation
    private let state = Mutex(State())
    private let bus: Int32
    // A dispatch source may be cancelled and released from any thread, as its documentation says; its type does not express that.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Starts listening; `nil` if there is no bus.
    init?(environment: [String: String]) {
        guard let bus = Self.connection(environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? Self.address) else { return nil }
        self.bus = bus
        (events, happened) = AsyncStream.makeStream()
        source = DispatchSource.makeReadSource(fileDescriptor: bus, queue: DispatchQueue(label: "yett.sleep"))
        source.setEventHandler { [weak self] in self?.receive() }
        source.setCancelHandler { close(bus) }
        source.activate()
        send(LogindConnection.greeting(user: geteuid()))
    }

    deinit {
        source.cancel()
        state.withLock { state in
            for descriptor in state.arrived + [state.inhibitor, state.held].compactMap(\.self) { close(descriptor) }
        }
        happened.finish()
    }

    /// Lets the machine enter the announced sleep.
    func allowSleep() {
        state.withLock { state in
            if let held = state.held { close(held) }
            state.held = nil
        }
    }

    // MARK: The bus

    /// From the D-Bus specification, "Well-known Message Bus Instances".
    private static let address = "unix:path=/var/run/dbus/system_bus_socket"

    /// Connects to the first reachable address of a list such as `unix:path=…;unix:abstract=…`.
    private static func connection(_ addresses: String) -> Int32? {
        for path in addresses.split(separator: ";").compactMap({ path(of: $0) }) {
            let descriptor = Glibc.socket(
                AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            guard descriptor >= 0 else { return nil }
            if let address = UnixSocketAddress(path), address.withPointer({ connect(descriptor, $0, $1) }) == 0 { return descriptor }
            close(descriptor)
        }
        return nil
    }

    /// Returns the socket of one address, as ``UnixSocketAddress`` takes it; `nil` for another kind of address.
    static func path(of address: some StringProtocol) -> String? {
        guard address.hasPrefix("unix:") else { return nil }
        let values = address.dropFirst(5).split(separator: ",").compactMap { pair -> (String, String)? in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        for (name, value) in values {
            if name == "path" { return value }
            if name == "abstract" { return "@" + value }
        }
        return nil
    }

    private func send(_ bytes: [UInt8]) {
        // The socket's buffer is much larger than everything that is sent here.
        guard Glibc.send(bus, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return end() }
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var descriptor: Int32 = -1
            let count = yett_receive(bus, &buffer, buffer.count, &descriptor)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            let actions = state.withLock { state in
                if descriptor >= 0 { state.arrived.append(descriptor) }
                return count > 0 ? try? state.talk.take(buffer[..<count]) : nil
            }
            guard let actions else { return end() }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: LogindConnection.Action) {
        switch action {
        case .send(let bytes): send(bytes)
        case .descriptors(let count, let isInhibitor):
            state.withLock { state in
                for descriptor in state.arrived.prefix(count) {
                    if isInhibitor, state.inhibitor == nil { state.inhibitor = descriptor } else { close(descriptor) }
                }
                state.arrived.removeFirst(min(count, state.arrived.count))
            }
        case .aboutToSleep:
            allowSleep()
            state.withLock { state in
                state.held = state.inhibitor
                state.inhibitor = nil
            }
            happened.yield(.aboutToSleep)
        case .woke: happened.yield(.woke)
        }
    }

    /// Handles a lost bus or an invalid message.
    private func end() {
        source.cancel()
        allowSleep()
        state.withLock { state in
            if let inhibitor = state.inhibitor { close(inhibitor) }
            state.inhibitor = nil
        }
        happened.finish()
    }
}
