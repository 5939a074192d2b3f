import AuthModel
import Sandbox

/// Test providers at work: one that speaks OpenID Connect, and the systems of vendors, each on a port of its own.
struct RunningProviders: Sendable {
    let openID: SandboxServer
    let vendors: [any RunningVendor]

    /// The vendors' systems to start, and their settings.
    struct Choice {
        /// Default: those of a kind of provider that Yett supports.
        var vendors: [Vendor] = Vendor.allCases.filter { ProviderKind(rawValue: $0.rawValue) != nil }
        /// Settings that differ from the default.
        var settings: [(vendor: Vendor, name: String, value: JSONValue)] = []
    }

    /// Starts them all. The vendors get the ports that follow the OpenID provider's, in the order of their names, or any free ones.
    static func start(_ configuration: SandboxConfiguration, _ choice: Choice) async throws -> RunningProviders {
        let openID = try await SandboxServer.start(configuration)
        var vendors: [any RunningVendor] = []
        do {
            for (index, vendor) in Vendor.allCases.enumerated() where choice.vendors.contains(vendor) {
                vendors.append(
                    try await vendor.start(
                        port: configuration.port == 0 ? 0 : configuration.port + 1 + index,
                        settings: choice.settings.filter { $0.vendor == vendor }.map { ($0.name, $0.value) },
                        common: VendorServerSettings(autoApproves: configuration.autoApproves, showsControls: configuration.showsRequestLog)
                    )
                )
            }
        } catch {
            await RunningProviders(openID: openID, vendors: vendors).stop()
            throw error
        }
        return RunningProviders(openID: openID, vendors: vendors)
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
