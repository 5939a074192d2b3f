public import AuthModel

/// What one vendor's system is to be like: every choice there is, with the honest one as its default.
///
/// A vendor is one folder: its settings, which say how it is made, and an actor with its routes.
public protocol VendorSettings: Equatable, Sendable {
    init()

    /// Which system it is.
    static var vendor: Vendor { get }

    /// The settings by their names, for programs in other processes and for the command line.
    static var sandboxSettings: [SandboxSetting<Self>] { get }

    /// The system, at the port and with the clock of `stage`. Its settings are the stage's, at any moment.
    static func makeRoutes(on stage: VendorServerState<Self>) throws -> VendorRoutes
}

/// The routes of a vendor's system; made by the vendors of this module alone.
public struct VendorRoutes: Sendable {
    let personality: any ProviderBehaviour

    init(_ personality: any ProviderBehaviour) { self.personality = personality }
}

/// The systems of vendors that the sandbox can play.
public enum Vendor: String, Sendable, CaseIterable {
    case mapsIndoors = "mapsindoors"
    case beyondIdentity = "beyond-identity"
    case arcGIS = "arcgis"
    case openWeb = "openweb"

    /// As its vendor writes it.
    public var title: String {
        switch self {
        case .mapsIndoors: "MapsIndoors"
        case .beyondIdentity: "Beyond Identity"
        case .arcGIS: "ArcGIS"
        case .openWeb: "OpenWeb"
        }
    }

    /// The names of its knobs, and what each turns: those of every vendor, then its own.
    public var sandboxSettings: [(name: String, summary: String)] { Self.commonSettings + ownSettings }

    /// The knobs that every vendor has.
    public static var commonSettings: [(name: String, summary: String)] {
        VendorServerSettings.sandboxSettings.map { ($0.name, $0.summary) }
    }

    /// Its own knobs.
    public var ownSettings: [(name: String, summary: String)] {
        switch self {
        case .mapsIndoors: Self.list(MapsIndoorsSettings.self)
        case .beyondIdentity: Self.list(BeyondIdentitySettings.self)
        case .arcGIS: Self.list(ArcGISSettings.self)
        case .openWeb: Self.list(OpenWebSettings.self)
        }
    }

    /// Starts it with the knobs turned as said, of its own or of those that every vendor has; it answers when this returns.
    ///
    /// - Throws: ``UnknownSandboxSetting`` for a knob that there is not, or a value that it cannot take; ``AuthFailure`` when the port is
    ///   taken.
    public func start(
        port: Int = 0, settings: [(name: String, value: JSONValue)] = [], stage: VendorServerSettings = VendorServerSettings()
    ) async throws -> any RunningVendor {
        switch self {
        case .mapsIndoors: try await Self.start(MapsIndoorsSettings.self, port, settings, stage)
        case .beyondIdentity: try await Self.start(BeyondIdentitySettings.self, port, settings, stage)
        case .arcGIS: try await Self.start(ArcGISSettings.self, port, settings, stage)
        case .openWeb: try await Self.start(OpenWebSettings.self, port, settings, stage)
        }
    }

    private static func start<Settings: VendorSettings>(
        _ type: Settings.Type, _ port: Int, _ chosen: [(name: String, value: JSONValue)], _ stage: VendorServerSettings
    ) async throws -> VendorServer<Settings> {
        var common = stage
        var settings = Settings()
        for (name, value) in chosen {
            if VendorServerSettings.sandboxSettings.contains(where: { $0.name == name }) {
                try VendorServerSettings.sandboxSettings.turn(name, to: value, in: &common)
            } else {
                try settings.turn(name, to: value)
            }
        }
        return try await VendorServer(settings, stage: common, port: port)
    }

    private static func list<Settings: VendorSettings>(_ type: Settings.Type) -> [(name: String, summary: String)] {
        Settings.sandboxSettings.map { ($0.name, $0.summary) }
    }
}
