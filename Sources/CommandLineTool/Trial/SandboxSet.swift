internal import AuthModel
internal import Sandbox
internal import TOML

/// The providers that are run to try things at: one that speaks OpenID Connect, and the systems of vendors, each on a port of its own.
struct SandboxSet: Sendable {
    let openID: SandboxServer
    let vendors: [any RunningVendor]

    /// What to run beside the OpenID provider.
    struct Choice {
        /// Those that can be signed in to with this program.
        var vendors: [Vendor] = Vendor.allCases.filter { ProviderKind(rawValue: $0.rawValue) != nil }
        /// What is turned at which vendor.
        var settings: [(vendor: Vendor, name: String, value: JSONValue)] = []
    }

    /// Starts them all. With a port for the OpenID provider, the others get those behind it, in the order of their names.
    static func start(_ configuration: SandboxConfiguration, _ choice: Choice) async throws -> SandboxSet {
        let openID = try await SandboxServer.start(configuration)
        var vendors: [any RunningVendor] = []
        do {
            for (index, vendor) in Vendor.allCases.enumerated() where choice.vendors.contains(vendor) {
                vendors.append(
                    try await vendor.start(
                        port: configuration.port == 0 ? 0 : configuration.port + 1 + index,
                        settings: choice.settings.filter { $0.vendor == vendor }.map { ($0.name, $0.value) },
                        stage: VendorServerSettings(autoApproves: configuration.autoApproves, showsControls: configuration.showsRequestLog))
                )
            }
        } catch {
            await SandboxSet(openID: openID, vendors: vendors).stop()
            throw error
        }
        return SandboxSet(openID: openID, vendors: vendors)
    }

    func runUntilCancelled() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await openID.runUntilCancelled() }
            for vendor in vendors { group.addTask { await vendor.runUntilCancelled() } }
        }
    }

    func stop() async {
        await openID.stop()
        for vendor in vendors { await vendor.stop() }
    }
}

/// Where the sandbox is, and how to make its providers Yett's.
struct SandboxNotice: Answer {
    let running: SandboxSet

    /// The public client that the OpenID provider knows.
    static let clientID = "yett"
    static let scopes = ["openid", "profile", "email", "offline_access"]

    private var issuer: String { running.openID.issuer }

    var lines: [String] {
        [
            "# a sandbox provider runs at \(issuer)", "[providers.sandbox]", "kind = \"oidc\"",
            "issuer = \(TOMLText.quoted(issuer))", "client_id = \(TOMLText.quoted(Self.clientID))",
            "scopes = \(TOMLText.list(Self.scopes))",
            "api_hosts = \(TOMLText.list(["127.0.0.1:\(running.openID.port)"]))",
        ] + running.vendors.flatMap { vendor in ["", "# \(vendor.vendor.title), as far as its wire is known"] + vendor.table.lines }
    }

    var json: JSONValue {
        .answer(
            ("issuer", .string(issuer)), ("port", .number(running.openID.port)), ("client_id", .string(Self.clientID)),
            ("scopes", JSONValue(Self.scopes)),
            (
                "vendors",
                .array(
                    running.vendors.map { vendor in
                        .members(
                            ("kind", .string(vendor.vendor.rawValue)), ("origin", .string(vendor.origin)), ("port", .number(vendor.port)),
                            ("settings", vendor.table.json))
                    })
            ))
    }
}
