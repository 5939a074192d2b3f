public import AuthModel

/// A running server of any vendor.
public protocol RunningVendor: Sendable {
    /// The vendor.
    var vendor: Vendor { get }
    /// The scheme, host and port.
    var origin: String { get }
    /// The port on 127.0.0.1.
    var port: Int { get }
    /// Moves the system's clock forward or back; everything that it issued ages accordingly.
    func advance(by duration: Duration)
    /// Waits until the server is stopped; stops it when the calling task is cancelled.
    func runUntilCancelled() async
    /// Closes the port and all connections. When this returns, the port is free.
    func stop() async
}

/// One vendor's system on 127.0.0.1. It follows the public facts about the system's protocol.
///
/// ```swift
/// let server = try await VendorServer<MapsIndoorsSettings>()
/// server.change { $0.isAuthRequired = false }
/// // … send requests to server.origin …
/// await server.stop()
/// ```
public final class VendorServer<Settings: VendorSettings>: RunningVendor, StoppableServer {
    private let serverState: VendorServerState<Settings>
    private let tls: TLSConnections
    private let host: SandboxHost

    /// Starts the server; it accepts requests when this returns.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` if the port is taken.
    public init(
        _ settings: Settings = Settings(), common: VendorServerSettings = VendorServerSettings(), port: Int = 0,
        time: any TimeSource = SandboxClock()
    ) async throws {
        let offset = ClockOffset()
        let holder = VendorServerStateHolder<Settings>()
        let tls = TLSConnections { holder.serverState?.common.tls ?? .off }
        host = try await SandboxHost.start(
            port: port, clock: { time.now + offset.value }, dateSkew: { holder.serverState?.common.dateSkew ?? .zero },
            tls: tls
        ) { port, log in
            let serverState = VendorServerState(port: port, settings: settings, common: common, time: time, clockOffset: offset, tls: tls)
            holder.serverState = serverState
            return RouteTable([try Settings.makeRoutes(on: serverState).provider]) { await serverState.interruption(of: $0, log: log) }
        }
        guard let made = holder.serverState else { throw AuthFailure(.bug, text: "the sandbox started without its state") }
        serverState = made
        self.tls = tls
        do {
            _ = try tls.certificate()
        } catch {
            await host.stop()
            throw error
        }
    }

    /// Starts a server, passes it to `body`, and stops it in every case.
    public static func running<Result: Sendable>(
        _ settings: Settings = Settings(), common: VendorServerSettings = VendorServerSettings(),
        _ body: (VendorServer) async throws -> Result
    ) async throws -> Result {
        let server = try await VendorServer(settings, common: common)
        return try await server.stopping(after: body)
    }

    /// The vendor.
    public var vendor: Vendor { Settings.vendor }
    /// The scheme, host and port.
    public var origin: String { serverState.origin }
    /// The port on 127.0.0.1.
    public var port: Int { host.port }

    /// Waits until the server is stopped; stops it when the calling task is cancelled.
    public func runUntilCancelled() async { await host.runUntilCancelled() }
    /// Closes the port and all connections. When this returns, the port is free.
    public func stop() async { await host.stop() }

    /// The certificate that clients see now, in PEM; `nil` without TLS.
    public var certificate: String? { (try? tls.certificate()) ?? nil }

    // MARK: Requests and controls

    /// The requests so far, in their order.
    public var requests: [LoggedRequest] { host.log.requests }

    /// Returns a stream of the requests so far and of all later ones; it ends when the server stops.
    public func followRequests() -> AsyncStream<LoggedRequest> { host.log.follow() }

    /// Deletes the requests so far from the log.
    public func clearRequests() { host.log.clear() }

    /// The current settings.
    public var settings: Settings { serverState.settings }

    /// Changes the vendor's settings.
    public func change(_ body: (inout Settings) -> Void) { serverState.change(body) }

    /// Changes the settings that all vendors have.
    public func changeCommon(_ body: (inout VendorServerSettings) -> Void) { serverState.changeCommon(body) }

    /// Changes one setting by its name.
    public func set(_ name: String, to value: JSONValue) throws(UnknownSandboxSetting) { try serverState.set(name, to: value) }

    /// Moves the system's clock forward or back; everything that it issued ages accordingly.
    public func advance(by duration: Duration) { serverState.clockOffset.add(duration) }
}
