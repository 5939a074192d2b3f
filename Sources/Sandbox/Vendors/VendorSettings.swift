public import AuthModel

/// The settings of one vendor's system; the defaults give correct behaviour.
///
/// Each vendor has one folder: its settings, which also create the system, and an actor with its routes.
public protocol VendorSettings: Equatable, Sendable {
    /// Creates the default settings.
    init()

    /// The vendor of these settings.
    static var vendor: Vendor { get }

    /// The settings by their names, for programs in other processes and for the command line.
    static var sandboxSettings: [SandboxSetting<Self>] { get }

    /// Returns the system's routes on a server; they use the port, the clock and the current settings of `serverState`.
    static func makeRoutes(on serverState: VendorServerState<Self>) throws -> VendorRoutes
}

/// The routes of a vendor's system; only the vendors of this module can create them.
public struct VendorRoutes: Sendable {
    let provider: any ProviderBehaviour

    init(_ provider: any ProviderBehaviour) { self.provider = provider }
}

/// A vendor whose system the sandbox can simulate.
public enum Vendor: String, Sendable, CaseIterable {
    /// MapsIndoors.
    case mapsIndoors = "mapsindoors"
    /// Beyond Identity.
    case beyondIdentity = "beyond-identity"
    /// ArcGIS.
    case arcGIS = "arcgis"
    /// OpenWeb.
    case openWeb = "openweb"

    /// The name, as the vendor writes it.
    public var title: String {
        switch self {
        case .mapsIndoors: "MapsIndoors"
        case .beyondIdentity: "Beyond Identity"
        case .arcGIS: "ArcGIS"
        case .openWeb: "OpenWeb"
        }
    }

    /// The names and descriptions of the settings: those of all vendors, then its own.
    public var sandboxSettings: [(name: String, summary: String)] { Self.commonSettings + ownSettings }

    /// The settings that all vendors have.
    public static var commonSettings: [(name: String, summary: String)] {
        VendorServerSettings.sandboxSettings.map { ($0.name, $0.summary) }
    }

    /// The vendor's own settings.
    public var ownSettings: [(name: String, summary: String)] {
        switch self {
        case .mapsIndoors: Self.list(MapsIndoorsSettings.self)
        case .beyondIdentity: Self.list(BeyondIdentitySettings.self)
        case .arcGIS: Self.list(ArcGISSettings.self)
        case .openWeb: Self.list(OpenWebSettings.self)
        }
    }

    /// Starts the vendor's system with the given settings, its own or those of all vendors; it accepts requests when this returns.
    ///
    /// - Throws: ``UnknownSandboxSetting`` for an unknown setting or an invalid value; ``AuthFailure`` if the port is taken.
    public func start(
        port: Int = 0, settings: [(name: String, value: JSONValue)] = [], common: VendorServerSettings = VendorServerSettings()
    ) async throws -> any RunningVendor {
        switch self {
        case .mapsIndoors: try await Self.start(MapsIndoorsSettings.self, port, settings, common)
        case .beyondIdentity: try await Self.start(BeyondIdentitySettings.self, port, settings, common)
        case .arcGIS: try await Self.start(ArcGISSettings.self, port, settings, common)
        case .openWeb: try await Self.start(OpenWebSettings.self, port, settings, common)
        }
    }

    private static func start<Settings: VendorSettings>(
        _ type: Settings.Type, _ port: Int, _ chosen: [(name: String, value: JSONValue)], _ common: VendorServerSettings
    ) async throws -> VendorServer<Settings> {
        var common = common
        var settings = Settings()
        for (name, value) in chosen {
            if VendorServerSettings.sandboxSettings.contains(where: { $0.name == name }) {
                try VendorServerSettings.sandboxSettings.set(name, to: value, in: &common)
            } else {
                try settings.set(name, to: value)
            }
        }
        return try await VendorServer(settings, common: common, port: port)
    }

    private static func list<Settings: VendorSettings>(_ type: Settings.Type) -> [(name: String, summary: String)] {
        Settings.sandboxSettings.map { ($0.name, $0.summary) }
    }

    /// The methods and paths of the endpoints, one per line, in the order in which a client meets them; `{name}` stands for one segment.
    public var endpoints: [String] {
        switch self {
        case .mapsIndoors: Self.endpoints(MapsIndoorsSettings.self)
        case .beyondIdentity: Self.endpoints(BeyondIdentitySettings.self)
        case .arcGIS: Self.endpoints(ArcGISSettings.self)
        case .openWeb: Self.endpoints(OpenWebSettings.self)
        }
    }

    private static func endpoints<Settings: VendorSettings>(_ type: Settings.Type) -> [String] {
        let offset = ClockOffset()
        let serverState = VendorServerState(
            port: 0, settings: Settings(), common: VendorServerSettings(), time: SandboxClock(), clockOffset: offset,
            tls: TLSConnections { .off })
        let routes = (try? Settings.makeRoutes(on: serverState))?.provider.routes ?? []
        var methods: [(path: String, methods: [String])] = []
        for route in routes {
            if let index = methods.firstIndex(where: { $0.path == route.path }) {
                methods[index].methods += route.methods
            } else {
                methods.append((route.path, route.methods))
            }
        }
        return methods.map { "\($0.methods.joined(separator: ", ")) \($0.path)" }
    }

    /// Help on the sign-in methods that the default configuration does not use; `nil` if there is only one method.
    public var otherSignInMethods: String? {
        switch self {
        case .beyondIdentity:
            """
            The configuration that is printed has mode = "rp-initiated", and the keys of the other two modes behind #: they have the client
            \(BeyondIdentitySettings().clientID), an issuer for secure-access, and an exchange_url for direct.
            """
        case .openWeb:
            """
            The configuration that is printed has mode = "codes", for the user names and passwords that yett sandbox lists. With
            mode = "jwt", the JWT of ada is \(OpenWebGateway.jwt(for: "ada")); with mode = "provider", her token is
            \(OpenWebGateway.providerToken(for: "ada")) at each provider. For another user, replace ada by
            the user name.
            """
        case .mapsIndoors, .arcGIS: nil
        }
    }
}
