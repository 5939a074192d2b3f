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
    /// AWS IAM Identity Center.
    case awsSSO = "aws-sso"

    /// The name, as the vendor writes it.
    public var title: String {
        switch self {
        case .mapsIndoors: "MapsIndoors"
        case .beyondIdentity: "Beyond Identity"
        case .arcGIS: "ArcGIS"
        case .openWeb: "OpenWeb"
        case .awsSSO: "AWS IAM Identity Center"
        }
    }

    /// The names and descriptions of the settings: those of all vendors, then its own.
    public var sandboxSettings: [(name: String, summary: String)] { Self.commonSettings + ownSettings }

    /// The settings that all vendors have.
    public static var commonSettings: [(name: String, summary: String)] {
        VendorServerSettings.sandboxSettings.map { ($0.name, $0.summary) }
    }

    /// The vendor's own settings.
    public var ownSettings: [(name: String, summary: String)] { settings.summaries }

    private var settings: any VendorSettings.Type {
        switch self {
        case .mapsIndoors: MapsIndoorsSettings.self
        case .beyondIdentity: BeyondIdentitySettings.self
        case .arcGIS: ArcGISSettings.self
        case .openWeb: OpenWebSettings.self
        case .awsSSO: IdentityCenterSettings.self
        }
    }

    /// Starts the vendor's system with the given settings, its own or those of all vendors; it accepts requests when this returns.
    ///
    /// - Throws: ``UnknownSandboxSetting`` for an unknown setting or an invalid value; ``AuthFailure`` if the port is taken.
    public func start(
        port: Int = 0, settings: [(name: String, value: JSONValue)] = [], common: VendorServerSettings = VendorServerSettings()
    ) async throws -> any RunningVendor {
        try await self.settings.start(port, settings, common)
    }

    /// The methods and paths of the endpoints, one per line, in the order in which a client meets them; `{name}` stands for one segment.
    public var endpoints: [String] {
        var methods: [(path: String, methods: [String])] = []
        for route in settings.defaultRoutes {
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
        case .mapsIndoors, .arcGIS, .awsSSO: nil
        }
    }
}

extension VendorSettings {
    /// Returns the default settings with a change.
    public static func with(_ change: (inout Self) -> Void) -> Self {
        var settings = Self()
        change(&settings)
        return settings
    }

    fileprivate static var summaries: [(name: String, summary: String)] { sandboxSettings.map { ($0.name, $0.summary) } }

    fileprivate static func start(
        _ port: Int, _ chosen: [(name: String, value: JSONValue)], _ common: VendorServerSettings
    ) async throws -> any RunningVendor {
        var common = common
        var settings = Self()
        for (name, value) in chosen {
            if VendorServerSettings.sandboxSettings.contains(where: { $0.name == name }) {
                try VendorServerSettings.sandboxSettings.set(name, to: value, in: &common)
            } else {
                try settings.set(name, to: value)
            }
        }
        return try await VendorServer(settings, common: common, port: port)
    }

    /// The routes of a system with the default settings, which is not started.
    fileprivate static var defaultRoutes: [Route] {
        let serverState = VendorServerState(
            port: 0, settings: Self(), common: VendorServerSettings(), time: SandboxClock(), clockOffset: ClockOffset(),
            tls: TLSConnections { .off })
        return (try? makeRoutes(on: serverState))?.provider.routes ?? []
    }
}

/// The settings that all vendors' systems have: who signs in, which redirects are registered, and how the server itself behaves.
public struct VendorServerSettings: Equatable, Sendable {
    /// The name of the user who signs in without a page, so that following redirects is enough; `nil` shows a page with the users.
    public var autoApproves: String?
    /// The registered redirect URIs of every client that has none of its own.
    public var redirects: [String] = ["http://127.0.0.1/callback"]
    /// The redirect URIs of single clients, by client identifier.
    public var clientRedirects: [String: [String]] = [:]
    /// Whether the port of a registered loopback literal is ignored (RFC 8252 section 7.3).
    public var allowsAnyLoopbackPort = true
    /// The lifetime of a code.
    public var codeLifetime: Duration = .seconds(300)
    /// The delay of every response.
    public var delay: Duration = .zero
    /// Paths whose next response is a plain status, written `PATH:STATUS`; each entry is used up by one request.
    public var failNext: [String] = []
    /// Responses in place of the system's own; if several have the same path, the first one is used.
    public var answers: [PredefinedResponse] = []
    /// The difference between the `Date` field and the system's own clock.
    public var dateSkew: Duration = .zero
    /// The port's answer to clients that speak TLS; with any value except `off`, the system's own address is an https one.
    public var tls = TLSUse.off
    /// Whether `GET /__log` returns the requests so far, including credentials, and `POST /__set` changes settings. For tests in another
    /// process.
    public var showsControls = false

    /// Creates settings.
    public init(autoApproves: String? = nil, showsControls: Bool = false) {
        self.autoApproves = autoApproves
        self.showsControls = showsControls
    }

    static let sandboxSettings: [SandboxSetting<VendorServerSettings>] = [
        .optionalText("auto_approve", \.autoApproves, "the user who signs in without a page; null shows the page"),
        .texts("redirects", \.redirects, "the registered redirect URIs"),
        .lists("client_redirects", \.clientRedirects, "redirect URIs of single clients: {client: [uri, …]}"),
        .flag("loopback_any_port", \.allowsAnyLoopbackPort, "whether a loopback redirect may use any port"),
        .seconds("code_lifetime", \.codeLifetime, "the lifetime of a code, in seconds"),
        .seconds("delay", \.delay, "the delay of every response, in seconds"),
        .number("delay_ms", \.delayInMilliseconds, "the same in milliseconds", within: 0...3_155_760_000_000),
        .of(
            "fail_next", \.failNext, "PATH:STATUS, for the next request to that path; or a list of them",
            read: { json in
                let entries = json.strings ?? json.string.map { [$0] }
                return entries.flatMap { $0.allSatisfy(VendorServerSettings.isFailure) ? $0 : nil }
            },
            write: { .array($0.map(JSONValue.string)) }),
        .of(
            "answers", \.answers, "responses in place of the system's own: [{path, status, headers, body, once, silent}]",
            read: { json in
                guard let list = json.array else { return nil }
                let answers = list.compactMap(PredefinedResponse.init)
                return answers.count == list.count ? answers : nil
            }, write: { .array($0.map(\.json)) }),
        .seconds("date_skew", \.dateSkew, "the error of the Date field, in seconds", isSigned: true),
        .word("tls", \.tls, "the certificate for TLS; then the system uses https addresses for itself"),
    ]

    private var delayInMilliseconds: Int {
        get { Int(delay.components.seconds * 1000 + delay.components.attoseconds / 1_000_000_000_000_000) }
        set { delay = .milliseconds(newValue) }
    }

    /// Returns whether a client may use this redirect URI: it is registered byte for byte, or differs only in its port and that is allowed.
    func accepts(redirect uri: String, of client: String) -> Bool {
        accepts(redirect: uri, among: clientRedirects[client] ?? redirects)
    }

    /// Returns whether a list of registered URIs contains this redirect URI, by the same rule.
    func accepts(redirect uri: String, among redirects: [String]) -> Bool {
        if redirects.contains(uri) { return true }
        return allowsAnyLoopbackPort && redirects.contains { Self.withoutPort(uri) == $0 || Self.withoutPort($0) == Self.withoutPort(uri) }
    }

    /// Returns a loopback literal's URI without its port; `nil` for any other URI.
    private static func withoutPort(_ uri: String) -> String? {
        for prefix in ["http://127.0.0.1", "http://[::1]"] where uri.hasPrefix(prefix) {
            let rest = uri.dropFirst(prefix.count)
            guard rest.first == ":" else { return rest.isEmpty || rest.first == "/" ? uri : nil }
            return prefix + rest.dropFirst().drop { ("0"..."9").contains($0) }
        }
        return nil
    }

    /// Returns whether the entry is `PATH:STATUS`.
    private static func isFailure(_ entry: String) -> Bool {
        guard entry.first == "/", let colon = entry.lastIndex(of: ":"), let status = Int(entry[colon...].dropFirst()) else { return false }
        return (200...599).contains(status)
    }

    /// Removes and returns the status for the next response at `path`.
    mutating func consumeFailure(at path: String) -> Int? {
        guard let index = failNext.firstIndex(where: { $0.hasPrefix(path + ":") }) else { return nil }
        return Int(failNext.remove(at: index).dropFirst(path.count + 1))
    }

    /// Returns the predefined response at `path`; removes it if it is for one use.
    mutating func consumeAnswer(at path: String) -> PredefinedResponse? {
        guard let index = answers.firstIndex(where: { $0.path == path }) else { return nil }
        return answers[index].isForOnce ? answers.remove(at: index) : answers[index]
    }
}
