import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Clients that register themselves or are described by a document, and providers that are known by name.
struct OnboardingTests {
    @Test func registeredClientSignsInAndIsDeletedWithItsProvider() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await world.run("providers", "add", server.issuer, "--register", "--name", "box", exits: 0)
            let sent = try #require(server.requests.first { $0.path == "/register" })
            let metadata = try JSONValue(strict: String(decoding: sent.body, as: UTF8.self))
            #expect(metadata["application_type"] == "native")
            #expect(metadata["token_endpoint_auth_method"] == "none")
            // Many servers compare the port, although RFC 8252 section 7.3 forbids it.
            let redirect = try #require(metadata["redirect_uris"]?.strings?.first)
            #expect(redirect.firstMatch(of: /^http:\/\/127\.0\.0\.1:2[0-9]{4}\/callback\/box$/) != nil)
            #expect(try world.text(world.configurationPath).contains("redirect = [\"\(redirect)\"]"))
            try await world.signIn("box")
            #expect(server.requests.first { $0.path == "/authorize" }?.parameter("redirect_uri") == redirect)
            #expect(await world.run("logout", "box").status == 0)
            let removed = await world.run("providers", "remove", "box", exits: 0)
            let deletion = try #require(server.requests.last)
            #expect(deletion.method == "DELETE" && deletion.path == "/register")
            #expect(deletion.header("Authorization")?.hasPrefix("Bearer ") == true)
            #expect(removed.errors.contains("no longer registered"))
        }
    }

    @Test func forgottenClientIsRegisteredAgain() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            #expect(await world.run("providers", "add", server.issuer, "--register", "--name", "box").status == 0)
            #expect(await world.run("providers", "check", "box").status == 0)
            // As after a restart of a server that keeps its clients in memory.
            let text = try world.text(world.configurationPath)
            let id = try #require(text.firstMatch(of: /client_id = "(registered-[^"]*)"/)?.1)
            try world.configure(text.replacing(id, with: "registered-before"))
            let check = await world.run("providers", "check", "box", exits: 5)
            #expect(check.errors.contains("does not recognize the registered client"))
            // The server tells only the user in the browser, and the sign-in sends no request to find it out.
            let tokens = server.requests.filter { $0.path == "/token" }.count
            let late = await world.run(["login", "box", "--timeout", "1"], untilDeadlineAfter: .seconds(1)) { await world.visit($0) }
            #expect(late.status == 4, "\(late.errors)")
            #expect(late.errors.contains("yett login box --register"), "\(late.errors)")
            #expect(server.requests.filter { $0.path == "/token" }.count == tokens)
            #expect(server.requests.filter { $0.path == "/register" }.count == 1)
            await world.run("login", "box", "--register", exits: 0)
            #expect(server.requests.filter { $0.path == "/register" }.count == 2)
            #expect(try !world.text(world.configurationPath).contains("registered-before"))
            #expect(await world.run("renew", "box").status == 0)
        }
    }

    /// The same for a client with a secret in the store: the check authenticates with it.
    @Test func forgottenConfidentialClientIsRegisteredAgain() async throws {
        try await withEmptyHome(SignInTests.honest.with { $0.acceptsPublicClients = false }) { server, world in
            #expect(await world.run("providers", "add", server.issuer, "--register", "--name", "box").status == 0)
            await world.run("providers", "check", "box", exits: 0)
            await server.forgetClients()
            let check = await world.run("providers", "check", "box", exits: 5)
            #expect(check.errors.contains("does not recognize the registered client"), "\(check.errors)")
            await world.run("login", "box", "--register", exits: 0)
            #expect(await world.run("providers", "check", "box").status == 0)
        }
    }

    /// A server that gets the request itself says that it does not know the client, and that is enough.
    @Test func clientThatThePushedRequestRefusesIsRegisteredAgain() async throws {
        try await withEmptyHome(SignInTests.honest.with { $0.pushedRequests = .required }) { server, world in
            #expect(await world.run("providers", "add", server.issuer, "--register", "--name", "box").status == 0)
            await server.forgetClients()
            await world.run("login", "box", exits: 0)
            #expect(server.requests.filter { $0.path == "/register" }.count == 2)
            #expect(!server.requests.contains { $0.path == "/token" && $0.field("code") == "is-this-client-known" })
        }
    }

    /// A client that was registered by hand is not replaced.
    @Test func clientRegisteredByHandIsNotRegisteredAgain() async throws {
        try await withSandbox(SignInTests.honest) { server, world in
            #expect(await world.run("login", "sandbox", "--register").status == 2)
            #expect(!server.requests.contains { $0.path == "/register" })
        }
    }

    /// RFC 9700 section 4.4: the redirect distinguishes the providers, also of those that send `iss`: they may not do so later.
    @Test(arguments: [true, false]) func registeredClientGetsItsOwnRedirect(namesIssuer: Bool) async throws {
        var behavior = SignInTests.honest
        if !namesIssuer { behavior.issuerParameter = .absent }
        try await withEmptyHome(behavior) { server, world in
            await world.run("providers", "add", server.issuer, "--register", "--name", "box", exits: 0)
            let sent = try #require(server.requests.first { $0.path == "/register" })
            let metadata = try JSONValue(strict: String(decoding: sent.body, as: UTF8.self))
            let redirect = try #require(metadata["redirect_uris"]?.strings?.first)
            #expect(redirect.hasPrefix("http://127.0.0.1:") && redirect.hasSuffix("/callback/box"))
            #expect(try world.text(world.configurationPath).contains(redirect))
            try await world.signIn("box")
            let request = try #require(server.requests.first { $0.path == "/authorize" })
            #expect(request.parameter("redirect_uri")?.hasSuffix("/callback/box") == true)
        }
    }

    @Test func postLogoutRedirectIsRegisteredAndUsed() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            let address = "http://127.0.0.1/goodbye"
            await world.run("providers", "add", server.issuer, "--register", "--name", "box", "--post-logout-redirect", address, exits: 0)
            let sent = try #require(server.requests.first { $0.path == "/register" })
            let metadata = try JSONValue(strict: String(decoding: sent.body, as: UTF8.self))
            #expect(metadata["post_logout_redirect_uris"] == [.string(address)])
            #expect(try world.text(world.configurationPath).contains("post_logout_redirect = [\"\(address)\"]"))
            try await world.signIn("box")
            let result = await world.run(["logout", "box", "--browser"], time: ManualTime(now: world.time.now), exits: 0)
            let left = try #require(server.requests.last { $0.path == "/logout" })
            #expect(left.parameter("post_logout_redirect_uri")?.hasPrefix("http://127.0.0.1:") == true)
            #expect(result.output.contains("end the browser's session: done"), "\(result.output)")
        }
    }

    @Test func postLogoutRedirectNeedsAnEndSessionEndpoint() async throws {
        let faults = try FaultSet(names: ["discovery-end-session-endpoint-missing"])
        try await withEmptyHome(SandboxConfiguration(autoApproves: "ada", lifetimes: .lasting, faultSet: faults)) { server, world in
            let command = ["providers", "add", server.issuer, "--register", "--name", "box", "--post-logout-redirect"]
            let added = await world.run(command + ["http://127.0.0.1/goodbye"], exits: 2)
            #expect(added.errors.contains("has no page that ends its own session"))
            #expect(!server.requests.contains { $0.path == "/register" })
            #expect(await world.run(command + ["https://example.org/"]).status == 64)
        }
    }

    @Test func registrationTokenIsNeverStoredInPlainText() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            #expect(await world.run("providers", "add", server.issuer, "--register", "--name", "box").status == 0)
            #expect(await world.run("providers", "remove", "box").status == 0)
            let token = try #require(server.requests.last?.header("Authorization")?.dropFirst("Bearer ".count))
            let world2 = try CommandWorld()
            #expect(token.count > 20)
            #expect(await world2.run("providers", "add", server.issuer, "--register", "--name", "box").status == 0)
            for path in [world.configurationPath, world.storePath, world.storePath + "-wal"] where FileStatus.exists(path) {
                let bytes = try #require(try PrivateFile.read(path))
                #expect(bytes.firstRange(of: Array(token.utf8)) == nil, "\(path)")
            }
        }
    }

    @Test func providerIsRemovedEvenIfItCannotBeTold() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            #expect(await world.run("providers", "add", server.issuer, "--register", "--name", "box").status == 0)
            await server.set(try FaultSet(names: ["registration-503"]))
            let removed = await world.run("providers", "remove", "box", exits: 0)
            #expect(removed.errors.contains("yett: warning: could not delete the client"))
            #expect(try world.text(world.configurationPath) == "")
        }
    }

    @Test(arguments: [
        ("registration-invalid-redirect-uri", Int32(5)), ("registration-client-id-missing", 7), ("registration-client-id-number", 7),
        ("registration-redirect-uris-changed", 8), ("registration-auth-method-other", 2), ("registration-503", 7),
    ])
    func failedRegistrationAddsNothing(fault: String, status: Int32) async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await server.set(try FaultSet(names: [fault]))
            let result = await world.run("providers", "add", server.issuer, "--register")
            #expect(result.status == status, "\(result.errors)")
            #expect(!FileStatus.exists(world.configurationPath))
        }
    }

    /// Some servers accept no address of this machine but its name.
    @Test func refusedRedirectAddressIsRegisteredByName() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await server.set(FaultSet(.registration(.invalidRedirect), times: 1))
            await world.run("providers", "add", server.issuer, "--register", "--name", "box", exits: 0)
            let sent = try server.requests.filter { $0.path == "/register" }
                .map { try JSONValue(strict: String(decoding: $0.body, as: UTF8.self))["redirect_uris"]?.strings?.first ?? "" }
            #expect(sent.map { $0.split(separator: ":")[1] } == ["//127.0.0.1", "//localhost"])
            #expect(try world.text(world.configurationPath).contains("redirect = [\"\(sent.last ?? "")\"]"))
            try await world.signIn("box")
        }
    }

    @Test(arguments: [
        "registration-status-200", "registration-secret-for-public-client", "registration-management-missing",
        "registration-management-elsewhere",
    ])
    func allowedRegistrationResponsesAreAccepted(fault: String) async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await server.set(try FaultSet(names: [fault]))
            await world.run("providers", "add", server.issuer, "--register", "--name", "box", exits: 0)
            #expect(await world.run("providers", "remove", "box").status == 0)
            #expect(!server.requests.contains { $0.path == "/elsewhere" })
        }
    }

    @Test func registrationIsOfferedAndNeedsConsent() async throws {
        try await withEmptyHome(SignInTests.honest) { (server, world) async throws in
            let silent = await world.run("providers", "add", server.issuer, exits: 64)
            #expect(silent.errors.contains("add --register"))
            await world.run("providers", "add", server.issuer, user: .init(hasTerminal: true, lines: ["y"]), exits: 0)
            #expect(try world.text(world.configurationPath).contains("client_id = \"registered-"))
            await world.run(
                "providers", "add", server.issuer, "--name", "own", user: .init(hasTerminal: true, lines: ["n", "yett"]), exits: 0)
            #expect(server.requests.filter { $0.path == "/register" }.count == 1)
        }
    }

    @Test func registrationWithoutSupportIsRefused() async throws {
        try await withEmptyHome(SignInTests.honest.with { $0.offersRegistration = false }) { server, world in
            let result = await world.run("providers", "add", server.issuer, "--register", exits: 2)
            #expect(result.errors.contains("does not support client registration"))
            #expect(await world.run("providers", "add", server.issuer, "--register", "--no-check").status == 64)
            #expect(await world.run("providers", "add", server.issuer, "--register", "--client-id", "yett").status == 64)
        }
    }

    @Test func registrationEndpointMayBeInTheOtherDocumentOnly() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await server.set(try FaultSet(names: ["discovery-registration-endpoint-apart"]))
            await world.run("providers", "add", server.issuer, "--register", "--name", "box", exits: 0)
            let details = try await world.run("providers", "details", "box", "--json").json
            #expect(details["provider"]?["registration_endpoint"]?.string == server.issuer + "/register")
        }
    }

    @Test func otherDocumentWithAnotherIssuerIsIgnored() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await server.set(try FaultSet(names: ["discovery-registration-endpoint-apart-issuer-other"]))
            let result = await world.run("providers", "add", server.issuer, "--register", "--name", "box", exits: 2)
            #expect(result.errors.contains("does not support client registration"))
            #expect(!server.requests.contains { $0.path == "/register" })
        }
    }

    @Test func clientDocumentIsTheIdentifierIfTheProviderSupportsIt() async throws {
        let document = "https://client.example/yett.json"
        try await withEmptyHome(SignInTests.honest) { server, world in
            await world.run("providers", "add", server.issuer, "--client-metadata", document, exits: 2)
            #expect(!FileStatus.exists(world.configurationPath))
        }
        try await withEmptyHome(SignInTests.honest.with { $0.acceptsClientDocuments = true }) { (server, world) async throws in
            for bad in ["http://client.example/yett.json", "https://client.example", "https://client.example/a?b", "yett"] {
                #expect(await world.run("providers", "add", server.issuer, "--client-metadata", bad).status == 64, "\(bad)")
            }
            await world.run("providers", "add", server.issuer, "--client-metadata", document, exits: 0)
            #expect(try world.text(world.configurationPath).contains("client_id = \"\(document)\""))
        }
    }

    /// The document's redirect is the same everywhere, so another provider could obtain the codes of one that does not name itself (RFC 9700
    /// section 4.4).
    @Test(arguments: [true, false]) func configuredDocumentNeedsAProviderThatNamesItself(namesItself: Bool) async throws {
        var provider = SignInTests.honest
        provider.acceptsClientDocuments = true
        if !namesItself { provider.issuerParameter = .absent }
        try await withEmptyHome(provider) { server, world in
            try world.configure("client_document = \"https://client.example/yett.json\"\n")
            let added = await world.run("providers", "add", server.issuer)
            #expect(added.status == (namesItself ? 0 : 64), "\(added.errors)")
            #expect(try world.text(world.configurationPath).contains("client_id = \"https://client.example/yett.json\"") == namesItself)
        }
    }

    // MARK: Details

    @Test func detailsListTheProvidersCapabilities() async throws {
        try await withSandbox(SignInTests.honest) { server, world in
            let json = try await world.run("providers", "details", "sandbox", "--json").json
            #expect(json["version"] == 1)
            #expect(json["provider"]?["token_endpoint"]?.string == server.issuer + "/token")
            #expect(json["capabilities"]?["registration"] == true)
            #expect(json["capabilities"]?["dpop"] == false)
            let text = await world.run("providers", "details", "sandbox").output
            #expect(text.contains("yes  client registration\n"))
            #expect(text.contains("no   key-bound tokens\n"))
            await server.set(try FaultSet(names: ["discovery-issuer-other"]))
            #expect(await world.run("providers", "details", "sandbox").status == 8)
        }
    }
}
