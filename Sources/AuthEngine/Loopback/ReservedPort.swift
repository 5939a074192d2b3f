public import AuthModel

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
            do throws(LoopbackBinding.Failure) {
                return ReservedPort(port, try LoopbackBinding.reserve(RedirectRule(host: "127.0.0.1", port: port, path: "/")))
            } catch {
                failures = [error]
            }
        }
        throw LoopbackBinding.Failure.combined(failures)
    }
}
