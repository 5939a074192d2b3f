public import AuthModel
import LocalServer
import OperatingSystem
import Synchronization

/// A reserved port of 127.0.0.1, for a redirect URI that is registered with its port. It is released when this value is deallocated.
///
/// The port lies below the ports that the system assigns to connections (`ip_local_port_range`), so that it is likely to be free at later
/// sign-ins.
public final class ReservedPort: Sendable {
    /// The port number.
    public let number: Int
    private let binding: LoopbackBinding

    /// Maximum number of ports to try. If all of them are in use, something else is wrong with the machine.
    private static let tries = 32
    private static let range = 20_000..<30_000
    /// The ports that this process has chosen: each is registered for another provider, so that their sign-ins do not meet.
    private static let chosen = Mutex<Set<Int>>([])

    private init(_ number: Int, _ binding: LoopbackBinding) {
        self.number = number
        self.binding = binding
    }

    deinit { binding.close() }

    /// Reserves `wanted`, or a random free port.
    ///
    /// - Throws: `.configuration`, naming the program that uses `wanted`.
    public static func reserve(_ wanted: Int? = nil) throws(AuthFailure) -> ReservedPort {
        var failures: [LoopbackBinding.Failure] = []
        for _ in 0..<(wanted == nil ? tries : 1) {
            let port = wanted ?? Int.random(in: range)
            guard wanted != nil || chosen.withLock({ $0.insert(port).inserted }) else { continue }
            do throws(LoopbackBinding.Failure) {
                return ReservedPort(port, try LoopbackBinding.reserve("127.0.0.1", port: port))
            } catch {
                failures = [error]
            }
        }
        throw LoopbackBinding.Failure.combined(failures)
    }
}

extension LoopbackBinding.Failure {
    /// Combines the failures of all rules that were tried into one.
    static func combined(_ failures: [LoopbackBinding.Failure]) -> AuthFailure {
        guard let last = failures.last else {
            return AuthFailure(
                .configuration, "callback.no_redirect", hint: UserMessage("hint.set_redirect", ["redirect": RedirectRule.standard]))
        }
        let texts = failures.map(\.text)
        return AuthFailure(.configuration, .list(texts, by: .semicolon), hint: last.hint)
    }

    private var text: UserMessage {
        switch self {
        case .inUse(let port, let holder?):
            UserMessage(
                "callback.port_in_use_by",
                ["port": port, "program": UserMessage("process.name_and_number", ["name": holder.name, "process": holder.process])])
        case .inUse(let port, nil): UserMessage("callback.port_in_use", ["port": port])
        case .forbidden(let port): UserMessage("callback.port_needs_privileges", ["port": port])
        case .noAddress(let host): UserMessage("callback.address_not_available", ["host": host])
        case .other(let host, let error):
            UserMessage("callback.cannot_listen", ["host": host, "reason": error.text])
        case .noEventLoop:
            UserMessage(
                "callback.cannot_listen",
                ["host": UserMessage("phrase.loopback_address"), "reason": UserMessage("phrase.no_event_loop")])
        }
    }

    private var hint: UserMessage {
        switch self {
        case .inUse: "hint.stop_program_or_other_redirect"
        case .forbidden: "hint.register_port_above_1023"
        case .noAddress(let host): host == "::1" ? "hint.set_redirect_ipv4" : "hint.set_redirect_ipv6"
        case .other, .noEventLoop: "hint.run_doctor"
        }
    }
}
