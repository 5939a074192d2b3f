import AuthEngine
import AuthModel
import Glibc
import Localization
import OAuth
import TestSupport
import Testing

/// Each test runs in its own process, because libcurl reads the environment itself.
@Suite struct TransportEnvironmentTests {
    @Test func localRequestsBypassTheProxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try await RawServer { _, _ in .ok("from the proxy") }
            let server = try await RawServer { _, _ in .ok("from the server") }
            for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"] { setenv(name, proxy.origin, 1) }
            let response = try await transport().send(get(server.origin + "/"))
            try #require(response.body == Array("from the server".utf8))
            try #require(proxy.connections == 0)
        }
    }

    @Test func otherRequestsUseTheProxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try await RawServer { _, _ in .text("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") }
            setenv("https_proxy", proxy.origin, 1)
            unsetenv("no_proxy")
            let failure = try await failure(of: get("https://id.example.org/"))
            try #require(failure.isTransient)
            try #require(failure.summary == "the proxy for id.example.org answered 403")
            try #require(proxy.requests.first?.hasPrefix("CONNECT id.example.org:443 HTTP/1.1\r\n") == true)
        }
    }

    @Test func writesNoTLSKeys() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            let keys = authority.folder.file("keys")
            setenv("SSLKEYLOGFILE", keys, 1)
            let server = try authority.serve("good")
            let response = try await transport().send(
                get("https://127.0.0.1:\(server.port)/"),
                policy: TransportPolicy(caFile: authority.rootFile))
            try #require(response.status == 200)
            try #require(access(keys, F_OK) != 0)
        }
    }

    @Test func refusesOldTLSEvenIfTheSystemAllowsIt() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            try authority.allowOldTLS()
            let server = try authority.serve("good", options: "-www -tls1_1")
            let failure = try await failure(
                of: get("https://127.0.0.1:\(server.port)/"),
                policy: TransportPolicy(caFile: authority.rootFile))
            try #require(failure.kind == .security)
            try #require(failure.summary.hasPrefix("cannot open a TLS connection to 127.0.0.1:\(server.port) ("))
        }
    }

    @Test func reportsAnUnknownHostName() async throws {
        let failure = try await failure(of: get("https://nobody.invalid/"))
        #expect(failure.isTransient)
        #expect(failure.summary == "cannot find nobody.invalid")
    }
}
