import ProcessHarness
import TestSupport
import Testing

/// Signs in on a machine that lacks one of the two loopback addresses, in a network namespace of its own.
@Suite(
    .startsPrograms, .enabled(if: Product.installed("ip") != nil, "ip is not installed"),
    .enabled(if: Product.installed("unshare") != nil, "unshare is not installed")
)
struct LoopbackAddressTests {
    @Test(arguments: [
        ("127.0.0.1/8", "http://127.0.0.1/callback", "http%3A%2F%2F%5B%3A%3A1%5D%3A"),
        ("::1/128", "http://[::1]/callback", "http%3A%2F%2F127.0.0.1%3A"),
        ("127.0.0.1/8", "http://localhost/callback", "http%3A%2F%2Flocalhost%3A"),
        ("::1/128", "http://localhost/callback", "http%3A%2F%2Flocalhost%3A"),
        ("::1/128", "http://127.0.0.1/callback", "http%3A%2F%2F127.0.0.1%3A"),
    ])
    func otherLoopbackAddressIsUsed(missing: String, redirect: String, sent: String) async throws {
        let home = try TemporaryHome()
        try home.write(
            """
            [providers.site]
            kind = "oauth2"
            authorization_endpoint = "https://id.example.org/authorize"
            token_endpoint = "https://id.example.org/token"
            client_id = "yett"
            redirect = "\(redirect)"
            """, to: "config/yett/config.toml")
        let script = "PATH=$PATH:/usr/sbin:/sbin; ip link set lo up && ip address del \"$0\" dev lo && exec \"$@\""
        let login = [try Product.program("yett-main"), "login", "site", "--no-open", "--timeout", "1"]
        let unshare = try #require(Product.installed("unshare"))
        let result = try await Program(
            unshare, ["--map-root-user", "--net", "sh", "-c", script, missing] + login,
            environment: home.environment(with: ["YETT_NO_AGENT": "1"]), folder: home.path
        ).run()
        // The program listened on the port until the time-out, which is a real second: a busy machine only makes it longer.
        #expect(result.status == 4, "\(result.errors)")
        #expect(result.errors.contains("&redirect_uri=\(sent)"), "\(result.errors)")
    }
}
