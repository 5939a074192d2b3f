internal import AuthModel
internal import Sandbox
internal import TOML

/// The running sandbox servers: one OpenID Connect provider and the selected vendor systems, each on its own port.
struct SandboxSet: Sendable {
    let openID: SandboxServer
    let vendors: [any RunningVendor]

    /// Which vendor systems to run beside the OpenID provider, and their settings.
    struct Choice {
        /// The vendor systems to run. Default: each vendor for which a provider kind exists.
        var vendors: [Vendor] = Vendor.allCases.filter { ProviderKind(rawValue: $0.rawValue) != nil }
        /// Setting values to apply, each with its vendor.
        var settings: [(vendor: Vendor, name: String, value: JSONValue)] = []
    }

    /// Starts the OpenID provider and the selected vendor systems.
    ///
    /// If the OpenID provider has a fixed port, each vendor gets one of the ports after it, in the order of `Vendor.allCases`. If a start
    /// fails, stops the servers that already run.
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

/// The output of `yett sandbox`: the address of each server, and the configuration that adds it as a provider.
struct SandboxNotice: Answer {
    let running: SandboxSet

    /// The ID of the public client that the OpenID provider accepts.
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
