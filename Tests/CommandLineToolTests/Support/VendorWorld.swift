import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Runs a vendor's system and `body`, with a configuration that names the system.
///
/// - Parameter table: the provider's keys other than its kind, for the system's origin.
func withVendor<Settings: VendorSettings>(
    _ settings: Settings, as name: String, autoApproves: String? = "ada", table: (_ origin: String) -> String,
    _ body: (VendorServer<Settings>, CommandWorld) async throws -> Void
) async throws {
    try await VendorServer.running(settings, common: VendorServerSettings(autoApproves: autoApproves)) { server in
        let world = try CommandWorld()
        let host = String(server.origin.dropFirst("http://".count))
        try world.configure(
            """
            [providers.\(name)]
            kind = "\(Settings.vendor.rawValue)"
            api_hosts = ["\(host)"]
            \(table(server.origin))
            """)
        try await body(server, world)
    }
}

/// Runs a MapsIndoors solution and `body`; the provider is `mi`.
func withSolution(
    _ settings: MapsIndoorsSettings = MapsIndoorsSettings(), more: String = "",
    _ body: (VendorServer<MapsIndoorsSettings>, CommandWorld) async throws -> Void
) async throws {
    try await withVendor(settings, as: "mi") { origin in
        "gateway_url = \"\(origin)/gateway\"\napi_key = \"sandbox-key\"\n" + more
    } _: { server, world in
        try await body(server, world)
    }
}

extension VendorServer {
    /// Returns the requests to a path, in order.
    func calls(of path: String) -> [LoggedRequest] { requests.filter { $0.path == path } }
}
