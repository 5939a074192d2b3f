import AuthEngine
import AuthModel
import OAuth
import Sandbox
import Testing

@testable import CommandLineTool

/// Tokens that are bound to a key: no tool gets one without knowing it.
struct BoundTokenTests {
    private static func offering(_ support: SandboxConfiguration.Proofs.Support = .required) -> SandboxConfiguration {
        SandboxConfiguration(autoApproves: "ada", proofs: .init(support: support))
    }

    private static let required = "dpop = \"required\""

    @Test func providerThatOffersProofsIssuesBearerTokensByDefault() async throws {
        try await withSession(Self.offering(.offered)) { server, world in
            #expect(await world.run("token", "sandbox", "--header").output.hasPrefix("Authorization: Bearer "))
            #expect(!server.requests.contains { $0.header("DPoP") != nil })
        }
    }

    @Test func providerThatRequiresProofsNamesTheSetting() async throws {
        try await withSandbox(Self.offering()) { _, world in
            let login = await world.run("login", exits: 2)
            #expect(login.errors.contains("issues only tokens that are bound to a key"))
            #expect(login.errors.contains("set dpop = \"required\" in [providers.sandbox]"))
        }
    }

    @Test(arguments: [
        ["token", "sandbox"], ["token", "sandbox", "--header"], ["token", "sandbox", "--json"], ["exec", "sandbox", "--", "env"],
    ])
    func boundTokenIsNotPrintedAlone(arguments: [String]) async throws {
        try await withSession(Self.offering(), more: Self.required) { _, world in
            let result = await world.run(arguments, exits: 2)
            #expect(result.output == "")
            #expect(result.errors.contains("the token of sandbox/ada is bound to a key, and cannot be used alone"))
            #expect(result.errors.contains("yett token sandbox/ada --dpop METHOD URL"))
        }
    }

    /// An ID token is not bound to a key.
    @Test func idTokenOfABoundSessionIsPrinted() async throws {
        try await withSession(Self.offering(), more: Self.required) { _, world in
            #expect(await world.run("token", "sandbox", "--id-token").status == 0)
        }
    }

    @Test(arguments: [
        ["token", "sandbox", "--dpop", "get", "URL"], ["token", "--dpop", "GET", "URL", "sandbox"], ["token", "--dpop", "GET", "URL"],
    ])
    func bothHeaderFieldsOfOneRequestArePrinted(arguments: [String]) async throws {
        try await withSession(Self.offering(), more: Self.required) { server, world in
            let url = server.issuer + "/userinfo"
            let result = await world.run(arguments.map { $0 == "URL" ? url : $0 }, exits: 0)
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 2)
            let token = try #require(lines.first { $0.hasPrefix("Authorization: DPoP ") })
            let proof = try #require(lines.first { $0.hasPrefix("DPoP: ") })
            let claims = try JSONWebSignature(compact: String(proof.dropFirst("DPoP: ".count))).unverifiedClaims
            #expect(claims["htm"]?.string == "GET" && claims["htu"]?.string == url && claims["ath"] != nil)
            // A resource accepts them once.
            let target = try #require(WebURL(url))
            var request = WebRequest(method: .get, url: target)
            request.headers = lines.map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
            }
            #expect(token.count > 20)
            #expect(try await CurlTransport(version: "test", environment: [:]).send(request).status == 200)
        }
    }

    @Test(arguments: [
        ["--dpop", "GET"], ["--dpop", "GET", "https://a.example/", "x", "y"], ["--dpop", "BREW TEA", "https://a.example/"],
        ["--dpop", "GET", "a.example"], ["--dpop", "GET", "http://a.example/"], ["--header", "--dpop", "GET", "https://a.example/"],
        ["--dpop", "GET", "https://a.example/", "--json"],
    ])
    func invalidRequestForAProofIsRefused(arguments: [String]) async throws {
        let result = await (try CommandWorld()).run(["token", "sandbox"] + arguments, exits: 64)
        #expect(result.output == "")
    }

    @Test func bearerTokenNeedsNoProof() async throws {
        try await withSession { server, world in
            let result = await world.run("token", "sandbox", "--dpop", "GET", server.issuer + "/userinfo", exits: 2)
            #expect(result.output == "")
            #expect(result.errors.contains("is not bound to a key"))
            #expect(result.errors.contains("use: yett token sandbox/ada --header"))
        }
    }

    /// The resource's own metadata says that it accepts bound tokens only (RFC 9728).
    @Test func resourceThatRequiresProofsIsAddedWithTheSetting() async throws {
        try await withEmptyHome(Self.offering()) { (server, world) async throws in
            let added = await world.run(
                "providers", "add", server.issuer + "/api/hello", "--client-id", "yett", "--issuer", server.issuer, "--name", "hello")
            #expect(added.status == 0, "\(added.errors)")
            #expect(try world.text(world.configurationPath).contains("dpop = \"required\""))
        }
    }
}
