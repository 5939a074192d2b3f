public import AuthModel

/// A vendor's system that runs, whichever it is.
public protocol RunningVendor: Sendable {
    var vendor: Vendor { get }
    /// Scheme, host and port.
    var origin: String { get }
    var port: Int { get }
    /// Waits until it is stopped, or stops it when the calling task is cancelled.
    func runUntilCancelled() async
    /// Closes the port and every connection. When this returns, the port is free.
    func stop() async
}

/// One vendor's system on 127.0.0.1, to the facts of its wire as far as they are public.
///
/// ```swift
/// let server = try await VendorServer<MapsIndoorsSettings>()
/// server.change { $0.isAuthRequired = false }
/// // … ask at server.origin …
/// await server.stop()
/// ```
public final class VendorServer<Settings: VendorSettings>: RunningVendor {
    private let stage: VendorServerState<Settings>
    private let tls: TLSConnections
    private let host: SandboxHost

    /// Starts it; it answers when this returns.
    ///
    /// - Throws: ``AuthFailure`` of kind `configuration` when the port is taken.
    public init(
        _ settings: Settings = Settings(), stage common: VendorServerSettings = VendorServerSettings(), port: Int = 0,
        time: any TimeSource = SandboxClock()
    ) async throws {
        let offset = ClockOffset()
        let holder = VendorServerStateHolder<Settings>()
        let tls = TLSConnections { holder.stage?.common.tls ?? .off }
        host = try await SandboxHost.start(
            port: port, clock: { time.now + offset.value }, dateSkew: { holder.stage?.common.dateSkew ?? .zero },
            tls: tls
        ) { port, log in
            let stage = VendorServerState(port: port, settings: settings, stage: common, time: time, clockOffset: offset, tls: tls)
            holder.stage = stage
            return RouteTable([try Settings.makeRoutes(on: stage).personality]) { await stage.interruption(of: $0, log: log) }
        }
        guard let made = holder.stage else { throw AuthFailure(.bug, "the sandbox started without a stage") }
        stage = made
        self.tls = tls
        do {
            _ = try tls.certificate()
        } catch {
            await host.stop()
            throw error
        }
    }

    /// Starts it, lends it to `body`, and stops it whatever happens.
    public static func running<Result: Sendable>(
        _ settings: Settings = Settings(), stage: VendorServerSettings = VendorServerSettings(),
        _ body: (VendorServer) async throws -> Result
    ) async throws -> Result {
        let server = try await VendorServer(settings, stage: stage)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    public var vendor: Vendor { Settings.vendor }
    public var origin: String { stage.origin }
    public var port: Int { host.port }

    public func runUntilCancelled() async { await host.runUntilCancelled() }
    public func stop() async { await host.stop() }

    /// The certificate that clients are shown now, in PEM; `nil` without TLS.
    public var certificate: String? { (try? tls.certificate()) ?? nil }

    // MARK: What it was asked, and is told

    /// The requests so far, in their order.
    public var requests: [LoggedRequest] { host.log.requests }

    /// The requests so far, and every one that comes after them; ends when the server stops.
    public func followRequests() -> AsyncStream<LoggedRequest> { host.log.follow() }

    /// Forgets the requests so far.
    public func clearRequests() { host.log.clear() }

    /// The settings as they are now.
    public var settings: Settings { stage.settings }

    public func change(_ body: (inout Settings) -> Void) { stage.change(body) }

    /// Changes what every vendor's system has.
    public func changeCommon(_ body: (inout VendorServerSettings) -> Void) { stage.changeCommon(body) }

    /// Turns one knob by its name.
    public func turn(_ name: String, to value: JSONValue) throws(UnknownSandboxSetting) { try stage.turn(name, to: value) }

    /// Moves the system's clock on, or back; everything that it gave out ages with it.
    public func advance(by duration: Duration) { stage.clockOffset.add(duration) }
}
