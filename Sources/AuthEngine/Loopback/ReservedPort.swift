public import AuthModel

/// A port of 127.0.0.1 that is held until this is released, for a redirect address that is registered with its port.
///
/// It lies below the ports that the system gives to connections (`ip_local_port_range`), so that it is likely to be free at later sign-ins.
public final class ReservedPort: Sendable {
    public let number: Int
    private let binding: LoopbackBinding

    /// How many ports are tried; on a machine where all of them are taken something else is wrong.
    private static let tries = 32
    private static let range = 20_000..<30_000

    private init(_ number: Int, _ binding: LoopbackBinding) {
        self.number = number
        self.binding = binding
    }

    deinit { binding.close() }

    /// Takes a free port, or `wanted`.
    ///
    /// - Throws: `.configuration` that names who holds `wanted`.
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
