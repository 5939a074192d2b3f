import AuthModel
import Glibc
import LocalServer

/// Sends the service's status to systemd (sd_notify(3)): datagrams to the socket in `NOTIFY_SOCKET`. Without that variable, it sends
/// nothing.
struct ServiceNotifier: Sendable {
    private let path: String?
    /// The interval of watchdog notifications; `nil` if there is no watchdog.
    let watchdog: Duration?

    init(environment: [String: String], process: Int32 = getpid()) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let period = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        // Half of the watchdog's time, as the manual recommends.
        watchdog = isForUs && period > 0 && path != nil ? .microseconds(period / 2) : nil
    }

    func ready() { tell("READY=1\nMAINPID=\(getpid())") }
    func status(_ status: String) { tell("STATUS=\(status)", waits: false) }
    func stopping() { tell("STOPPING=1\nSTATUS=Stopping") }
    func isAlive() { tell("WATCHDOG=1", waits: false) }

    /// Sends a message.
    ///
    /// - Parameter waits: whether to wait for a manager that does not read. Repeated messages do not wait.
    private func tell(_ message: String, waits: Bool = true) {
        guard let path, let address = UnixSocketAddress(path) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        // Ignore failures: the agent does not depend on the delivery.
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        _ = address.withPointer { pointer, length in sendto(descriptor, bytes, bytes.count, flags, pointer, length) }
    }
}
