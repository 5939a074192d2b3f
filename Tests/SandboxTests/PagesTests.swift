import AuthModel
import Crypto
import Testing

@testable import Sandbox

@Suite struct PagesTests {
    private static let hostile = #"<script>alert("1")</script>'&"# + "\u{1B}[2J"

    @Test func externalTextIsEscaped() {
        let page: HTML = "<p title=\"\(Self.hostile)\">\(Self.hostile)</p>"
        let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;\u{FFFD}[2J"
        #expect(page.text == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test func contentSecurityPolicyAllowsOnlyTheStyle() async throws {
        try await SandboxServer.running { server in
            let reply = try await Wire.get(RelyingParty(server: server).authorizationURL())
            let sheet = try #require(reply.text.split(separator: "<style>").last?.split(separator: "</style>").first)
            let digest = Base64Text.encode(bytes: Array(SHA256.hash(data: Array(sheet.utf8))))
            #expect(
                reply.header("content-security-policy")
                    == "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' http://127.0.0.1:9999"
            )
            #expect(reply.header("x-content-type-options") == "nosniff")
            #expect(reply.header("referrer-policy") == "no-referrer")
            #expect(!reply.text.contains("<script") && !reply.text.contains(" style=") && !reply.text.contains("http://"))
            #expect(reply.text.contains("This is a sandbox"))
        }
    }

    @Test func signInPageListsEverySandboxUser() async throws {
        try await SandboxServer.running { server in
            let page = try await Wire.get(RelyingParty(server: server).authorizationURL())
            for user in SandboxUser.standard {
                #expect(
                    page.text.contains("<code>\(HTML.escape(user.username))</code></td><td><code>\(HTML.escape(user.password))</code>"))
                #expect(page.text.contains(HTML.escape(user.name)))
            }
        }
    }

    @Test func loginHintIsEscapedInItsField() async throws {
        try await SandboxServer.running { server in
            let page = try await Wire.get(RelyingParty(server: server).authorizationURL([("login_hint", Self.hostile)]))
            #expect(page.status == 200)
            #expect(page.text.contains("value=\"&lt;script&gt;"))
            #expect(!page.text.contains("<script"))
        }
    }

    @Test func foreignRedirectIsNotFollowedAndIsEscaped() async throws {
        try await SandboxServer.running { server in
            let reply = try await Wire.get(
                RelyingParty(server: server).authorizationURL([("redirect_uri", "https://evil.example/\(Self.hostile)")]))
            #expect(reply.status == 400)
            #expect(reply.location == nil)
            #expect(!reply.text.contains("<script"))
        }
    }
}

extension Base64Text {
    static func encode(bytes: [UInt8]) -> String { SandboxBase64.standard(bytes) }
}
