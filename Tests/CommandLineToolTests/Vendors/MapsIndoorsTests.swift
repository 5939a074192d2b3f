import AuthModel
import OAuth
import Sandbox
import Testing

@testable import CommandLineTool

/// Kind `mapsindoors` with the real command, at the sandbox's MapsIndoors.
struct MapsIndoorsTests {
    // MARK: The key first

    @Test func noBrowserOpensIfNoSignInIsRequired() async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.isAuthRequired = false }) { (server, world) async throws in
            let result = await world.run("login", "mi", "--json", exits: 0)
            #expect(try result.json["auth_required"] == false)
            #expect(server.calls(of: "/connect/authorize").isEmpty)
            #expect(world.openedAddresses.isEmpty)
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test func unknownKeyIsNamed() async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.apiKey = "another" }) { _, world in
            let result = await world.run("login", "mi", exits: 2)
            #expect(result.errors.contains("the api_key of mi is not known"))
            #expect(result.errors.contains("101500"))
            #expect(world.openedAddresses.isEmpty)
        }
    }

    // MARK: The details

    @Test(arguments: MapsIndoorsSettings.Spelling.allCases)
    func detailsShowTheGatewaysValues(spelling: MapsIndoorsSettings.Spelling) async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.spelling = spelling }) { server, world in
            let result = await world.run("providers", "details", "mi", "--json", exits: 0)
            let details = try #require(try result.json["details"])
            #expect(details["auth_required"] == true)
            #expect(details["issuer"]?.string == server.origin)
            #expect(details["scopes"]?.strings == ["openid", "profile", "client-apis"])
            #expect(details["clients"]?.array?.first?["client_id"] == "mapsindoors-app")
            #expect(details["clients"]?.array?.first?["idps"]?.strings == ["google", "microsoft"])
        }
    }

    @Test(arguments: ["details", "login"])
    func gatewayErrorIsReported(verb: String) async throws {
        try await withSolution { server, world in
            server.changeCommon { $0.failNext = ["/gateway/sandbox-key:500"] }
            let result = await world.run(verb == "login" ? ["login", "mi"] : ["providers", "details", "mi"], exits: 7)
            #expect(result.errors.contains("status 500 instead of the details"))
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test func truncatedDetailsAreReported() async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.cutsDetails = true }) { _, world in
            let result = await world.run("login", "mi", exits: 7)
            #expect(result.errors.contains("details"))
        }
    }

    @Test func solutionWithoutAClientIsRefused() async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.omitsArrays = true }) { _, world in
            let result = await world.run("login", "mi", exits: 2)
            #expect(result.errors.contains("the solution has no client"))
        }
    }

    // MARK: The choice

    @Test func everyIdentityProviderAndTheServersChoiceAreOffered() async throws {
        try await withSolution { server, world in
            let result = await world.run("login", "mi", user: .init(hasTerminal: true, lines: ["2"]), exits: 0)
            for line in ["1  google", "2  microsoft", "3  Let the server ask"] { #expect(result.errors.contains(line)) }
            #expect(server.calls(of: "/connect/authorize").first?.parameter("acr_values") == "idp:microsoft")
        }
    }

    @Test(arguments: [(["google", "microsoft"], "3"), ([], "")])
    func parameterIsAbsentIfTheServerAsks(names: [String], line: String) async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.identityProviders = names }) { server, world in
            await world.run("login", "mi", user: .init(hasTerminal: true, lines: [line]), exits: 0)
            let request = try #require(server.calls(of: "/connect/authorize").first)
            #expect(!request.query.contains { $0.name == "acr_values" })
        }
    }

    @Test func previousChoiceIsTheDefault() async throws {
        try await withSolution { server, world in
            try await world.signIn("mi", "--idp", "microsoft")
            server.clearRequests()
            // Without a terminal, the suggestion is used.
            try await world.signIn("mi")
            #expect(server.calls(of: "/connect/authorize").first?.parameter("acr_values") == "idp:microsoft")
        }
    }

    @Test func unknownProviderIsRefusedUnlessForced() async throws {
        try await withSolution { server, world in
            let refused = await world.run("login", "mi", "--idp", "nosuch", exits: 2)
            #expect(refused.errors.contains("unknown identity provider 'nosuch'"))
            #expect(server.calls(of: "/connect/authorize").isEmpty)
            try await world.signIn("mi", "--idp", "nosuch", "--force-idp")
            #expect(server.calls(of: "/connect/authorize").first?.parameter("acr_values") == "idp:nosuch")
        }
    }

    /// The identity provider decides which client is used.
    @Test(arguments: [("google", "one"), ("microsoft", "two"), ("apple", "two")])
    func identityProviderSelectsItsClient(name: String, client: String) async throws {
        var settings = MapsIndoorsSettings()
        settings.clients = ["one", "two"]
        settings.clientIdentityProviders = ["one": ["google"], "two": ["microsoft", "apple"]]
        try await withSolution(settings) { server, world in
            await world.run("login", "mi", "--idp", name, exits: 0)
            let request = try #require(server.calls(of: "/connect/authorize").first)
            #expect(request.parameter("client_id") == client && request.parameter("acr_values") == "idp:\(name)")
            let refused = await world.run("login", "mi", "--idp", "nosuch")
            #expect(refused.status == 2 && refused.errors.contains("choose one of: google, microsoft, apple, ask"), "\(refused.errors)")
        }
    }

    // MARK: Discovery and the request

    @Test(arguments: [
        "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported", "subject_types_supported",
        "id_token_signing_alg_values_supported",
    ])
    func discoveryNeedsEveryRequiredMember(member: String) async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.droppedMetadata = member }) { _, world in
            let result = await world.run("login", "mi", exits: 7)
            #expect(result.errors.contains(member))
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test func discoveryOfAnotherIssuerIsRefused() async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.hasWrongIssuer = true }) { _, world in
            #expect(await world.run("login", "mi").status == 8)
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test func everySignInHasItsOwnStateNonceAndChallenge() async throws {
        try await withSolution { server, world in
            try await world.signIn("mi")
            try await world.signIn("mi")
            let requests = server.calls(of: "/connect/authorize")
            let exchanges = server.calls(of: "/connect/token")
            try #require(requests.count == 2 && exchanges.count == 2)
            for name in ["state", "nonce", "code_challenge"] {
                let values = requests.compactMap { $0.parameter(name) }
                #expect(Set(values).count == 2 && values.allSatisfy { $0.utf8.count >= 43 }, "\(name)")
            }
            for (request, exchange) in zip(requests, exchanges) {
                let verifier = try #require(exchange.field("code_verifier"))
                #expect(request.parameter("code_challenge") == PKCE.challenge(for: Secret(verifier)))
                #expect(request.parameter("scope") == "openid profile client-apis")
            }
        }
    }

    @Test func redirectIsTheSameEverywhere() async throws {
        try await withSolution(more: "redirect = \"http://127.0.0.1/callback\"") { server, world in
            #expect(await world.run("providers", "redirect", "mi").output == "http://127.0.0.1/callback\n")
            try await world.signIn("mi")
            let asked = server.calls(of: "/connect/authorize").first?.parameter("redirect_uri")
            #expect(asked?.hasPrefix("http://127.0.0.1:") == true && asked?.hasSuffix("/callback") == true)
            #expect(server.calls(of: "/connect/token").first?.field("redirect_uri") == asked)
        }
    }

    // MARK: The configuration

    @Test(arguments: [
        ("kind = \"mapsindoors\"\napi_key = \"k\"", "'gateway_url' is missing"),
        ("kind = \"mapsindoors\"\ngateway_url = \"https://g.example.org\"", "'api_key' is missing"),
        ("kind = \"mapsindoors\"\napi_key = \"k\"\ngateway_url = \"http://g.example.org\"", "'gateway_url' is refused"),
        (
            "kind = \"mapsindoors\"\napi_key = \"k\"\ngateway_url = \"https://g.example.org\"\nissuer = \"https://i.example.org\"",
            "'issuer' is not allowed here"
        ),
        (
            "kind = \"oidc\"\nissuer = \"https://i.example.org\"\nclient_id = \"c\"\napi_key = \"k\"",
            "'api_key' belongs to kind \"mapsindoors\""
        ),
    ])
    func configurationMustFitItsKind(text: String, message: String) async throws {
        let world = try CommandWorld.configured("[providers.mi]\n" + text)
        let result = await world.run("providers", "show", "mi", exits: 2)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    /// A provider without account creation asks nothing first.
    @Test func unsupportedSignUpIsRefusedBeforeAnyQuestion() async throws {
        try await withSolution { server, world in
            let result = await world.run("signup", "mi", user: .init(hasTerminal: true), exits: 2)
            #expect(result.errors.contains("mi does not support creating an account"))
            #expect(!result.errors.contains("dentity provider"))
        }
    }
}
