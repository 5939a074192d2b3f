import AuthModel
import Glibc

/// Tells systemd how the service is (sd_notify(3)): datagrams to the socket that `NOTIFY_SOCKET` names. Without one, nothing is told.
struct ServiceNotifier: Sendable {
    private let path: String?
    /// How often a sign of life is due; `nil` where nobody watches.
    let watchdog: Duration?

    init(environment: [String: String], process: Int32 = getpid()) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let period = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        // Half of the time that it is given, as the manual asks for.
        watchdog = isForUs && period > 0 && path != nil ? .microseconds(period / 2) : nil
    }

    func ready() { tell("READY=1\nMAINPID=\(getpid())") }
    func status(_ status: String) { tell("STATUS=\(status)", waits: false) }
    func stopping() { tell("STOPPING=1\nSTATUS=Stopping") }
    func isAlive() { tell("WATCHDOG=1", waits: false) }

    /// - Parameter waits: whether a manager that reads nothing is waited for. What is told again and again holds nothing up.
    private func tell(_ message: String, waits: Bool = true) {
        guard let path, let address = SocketAddress(path) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        // Nothing depends on it being heard.
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        _ = address.withPointer { pointer, length in sendto(descriptor, bytes, bytes.count, flags, pointer, length) }
    }
}
