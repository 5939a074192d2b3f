extension Vendor {
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
}
