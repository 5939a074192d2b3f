import Glibc
import ProcessHarness
import TestSupport
import Testing

/// Signs in while the name server does not answer, in a network namespace of its own.
@Suite(
    .startsPrograms, .enabled(if: Product.installed("ip") != nil, "ip is not installed"),
    .enabled(if: Product.installed("unshare") != nil, "unshare is not installed")
)
struct NameServerTests {
    /// Queries to the name server leave on an interface without a listener. Without its own time limit, a lookup would take minutes.
    private static let script = """
        PATH=$PATH:/usr/sbin:/sbin
        ip link set lo up && ip link add near type veth peer name far &&
        ip address add 192.0.2.1/24 dev near && ip link set near up && ip link set far up &&
        ip neighbor add 192.0.2.53 lladdr 02:00:00:00:00:01 dev near &&
        mount --bind "$0" /etc/resolv.conf && exec "$@"
        """

    private func login(in home: TemporaryHome) throws -> Program {
        try home.write(
            """
            [providers.site]
            kind = "oidc"
            issuer = "https://id.example.org"
            client_id = "yett"
            """, to: "config/yett/config.toml")
        let servers = try home.write("nameserver 192.0.2.53\noptions timeout:30 attempts:5\n", to: "resolv.conf")
        return Program(
            try #require(Product.installed("unshare")),
            ["--map-root-user", "--net", "--mount", "sh", "-c", Self.script, servers, try Product.program("yett-main"), "login", "site"],
            environment: home.environment(with: ["YETT_NO_AGENT": "1"]), folder: home.path)
    }

    @Test func requestTimesOutWhenTheNameServerIsSilent() async throws {
        let home = try TemporaryHome()
        let result = try await login(in: home).run()
        #expect(result.status == 7, "\(result.errors)")
        #expect(result.errors.contains("id.example.org did not answer within 15 s"), "\(result.errors)")
    }

    @Test func cancellingDoesNotWaitForTheNameLookup() async throws {
        let home = try TemporaryHome()
        let running = try login(in: home).start()
        _ = try await running.until { $0.errors.contains("Discover the provider") }
        running.signal(SIGINT)
        let result = await running.finish()
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("the sign-in was cancelled"))
    }
}
