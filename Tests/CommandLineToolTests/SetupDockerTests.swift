import AuthModel
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup docker`, with the protocol of docker's credential helpers. docker itself is only looked for, because it needs a daemon.
struct SetupDockerTests {
    private static let own = """
        {
        \t"auths": {
        \t\t"registry.example.org": {}
        \t},
        \t"psFormat": "a\\u00e9\\tb",
        \t"number": 1.50
        }
        """

    /// The file that is made for one registry.
    private static func made(for registry: String) -> String { "{\n\t\"credHelpers\": {\n\t\t\"\(registry)\": \"yett\"\n\t}\n}\n" }

    private func withDocker(_ body: (SandboxServer, CommandWorld) async throws -> Void) async throws {
        try await withSetupWorld { server, world in
            try world.writeProgram("docker", "exit 0\n")
            try await body(server, world)
        }
    }

    @Test func dockerGetsTheTokenAndRemovingRestoresEveryByte() async throws {
        try await withDocker { server, world in
            let registry = "127.0.0.1:\(server.port)"
            try world.write(Self.own, to: ".docker/config.json")
            let configuration = try world.text(world.configurationPath)
            let result = await world.setUp("docker", registry, "sandbox", "--yes", exits: 0)
            #expect(
                result.output == """
                    set up: docker gets tokens of sandbox for \(registry)
                    checked: docker-credential-yett get returned a token, sent for the user oauth2

                    """)
            #expect(
                result.errors == """
                    Let docker get tokens of sandbox for \(registry):
                      \(world.home)/.local/bin/docker-credential-yett
                        + #!/usr/bin/env sh
                        + exec yett helper docker "$@"
                      \(world.home)/.docker/config.json
                        + "credHelpers": "\(registry)": "yett"
                      \(world.configurationPath), [providers.sandbox]
                        + api_hosts = ["\(registry)"]

                    """)
            let changed = try world.content(".docker/config.json")
            #expect(
                changed
                    == Self.own.replacing("1.50\n}", with: "1.50,\n\t\"credHelpers\": {\n\t\t\"\(registry)\": \"yett\"\n\t}\n}"))
            #expect(FileStatus.mode("\(world.home)/.local/bin/docker-credential-yett") == 0o755)
            let token = String(await world.run("token", "sandbox").output.dropLast())
            let answer = try JSONValue(strict: try world.tool("docker-credential-yett", "get", input: registry))
            #expect(answer["Secret"]?.string == token)
            #expect(!(result.output + result.errors).contains(token))

            let again = await world.setUp("docker", registry, "sandbox", exits: 0)
            #expect(again.errors == "")
            #expect(again.output.hasPrefix("already set up: docker gets tokens of sandbox for \(registry); nothing was changed\n"))
            await world.setUp("docker", registry, "--remove", "--yes", exits: 0)
            #expect(try world.content(".docker/config.json") == Self.own)
            #expect(!world.has(".local/bin/docker-credential-yett"))
            #expect(try world.text(world.configurationPath) == configuration)
        }
    }

    @Test func passwordsInTheSameLineAreNotShown() async throws {
        try await withDocker { server, world in
            let registry = "127.0.0.1:\(server.port)"
            let text = "{\"auths\":{\"a.example.org\":{\"auth\":\"c2VjcmV0LXdvcmQ=\"}}}"
            try world.write(text, to: ".docker/config.json")
            for arguments in [[registry, "sandbox"], [registry, "--remove"]] {
                let result = await world.run(["setup", "docker", "--yes"] + arguments, with: world.toolEnvironment, exits: 0)
                #expect(!result.errors.contains("c2VjcmV0"))
                #expect(result.errors.contains("\"credHelpers\": \"\(registry)\": \"yett\"\n"))
            }
            #expect(try world.content(".docker/config.json") == text)
        }
    }

    @Test func fileThatWasMadeForTheSetupGoesAwayWithIt() async throws {
        try await withDocker { (server, world) async throws in
            let registry = "127.0.0.1:\(server.port)"
            let folder = ["DOCKER_CONFIG": world.home + "/elsewhere"]
            #expect(await world.setUp("docker", registry, "sandbox", "--yes", with: folder).status == 0)
            #expect(try world.content("elsewhere/config.json") == Self.made(for: registry))
            #expect(await world.setUp("docker", registry, "sandbox", "--remove", "--yes", with: folder).status == 0)
            #expect(try !world.text(world.configurationPath).contains("api_hosts"))
            #expect(!world.has("elsewhere/config.json"))
            #expect(!world.has(".docker"))
        }
    }

    @Test func sessionOfOneAccountHasItsOwnProgram() async throws {
        try await withDocker { server, world in
            await server.autoApprove(as: "grace")
            try await world.signIn("sandbox")
            let registry = "127.0.0.1:\(server.port)"
            let result = await world.setUp("docker", registry, "sandbox/grace", "--yes", exits: 0)
            #expect(result.output.contains("checked: docker-credential-yett-sandbox-grace get returned a token"))
            let answer = try JSONValue(strict: try world.tool("docker-credential-yett-sandbox-grace", "get", input: registry))
            #expect(answer["Secret"]?.string == String(await world.run("token", "sandbox/grace").output.dropLast()))
            let list = await world.setUp("--list")
            #expect(list.output.hasSuffix("  sandbox/grace\n"), "\(list.output)")
            await world.setUp("docker", registry, "sandbox/ada", "--yes", exits: 0)
            #expect(!world.has(".local/bin/docker-credential-yett-sandbox-grace"))
            #expect(await world.setUp("docker", registry, "--remove", "--yes").status == 0)
            #expect(!world.has(".local/bin/docker-credential-yett-sandbox-ada"))
            #expect(!world.has(".docker/config.json"))
        }
    }

    @Test func programStaysForOtherRegistries() async throws {
        try await withDocker { (_, world) async throws in
            for registry in ["a.example.org", "b.example.org"] {
                #expect(await world.setUp("docker", registry, "sandbox", "--yes").status == 0)
            }
            #expect(await world.setUp("docker", "a.example.org", "--remove", "--yes").status == 0)
            #expect(world.has(".local/bin/docker-credential-yett"))
            #expect(try world.content(".docker/config.json") == Self.made(for: "b.example.org"))
            #expect(await world.setUp("docker", "b.example.org", "--remove", "--yes").status == 0)
            #expect(!world.has(".local/bin/docker-credential-yett"))
        }
    }

    @Test func registryOfAnotherHelperIsRefused() async throws {
        try await withDocker { _, world in
            let text = "{\"credHelpers\":{\"registry.example.org\":\"ecr-login\"}}"
            try world.write(text, to: ".docker/config.json")
            let result = await world.setUp("docker", "registry.example.org", "sandbox", "--yes", exits: 2)
            #expect(
                result.errors.hasPrefix(
                    "yett: error: docker already gets credentials for registry.example.org from docker-credential-ecr-login\n"))
            #expect(await world.setUp("docker", "registry.example.org", "--remove", "--yes").output.hasPrefix("not set up: "))
            #expect(try world.content(".docker/config.json") == text)
        }
    }

    @Test(arguments: ["{", "[]", "{\"credHelpers\":[]}", "{\"a\":1,\"a\":2}"])
    func unreadableConfigurationIsReported(text: String) async throws {
        try await withDocker { _, world in
            try world.write(text, to: ".docker/config.json")
            let result = await world.setUp("docker", "registry.example.org", "sandbox", "--yes", exits: 2)
            #expect(result.errors.hasPrefix("yett: error: docker's configuration \(world.home)/.docker/config.json is not valid JSON\n"))
            #expect(try world.content(".docker/config.json") == text)
            #expect(!world.has(".local/bin/docker-credential-yett"))
        }
    }

    /// These programs read the same configuration.
    @Test(arguments: ["podman", "skopeo", "buildah"])
    func programInPlaceOfDockerSuffices(name: String) async throws {
        try await withSetupWorld { server, world in
            let folder = try world.folder(with: "yett", "sh", "env")
            try world.writeProgram(name, "exit 0\n")
            await world.setUp(
                "docker", "127.0.0.1:\(server.port)", "sandbox", "--yes", with: ["PATH": "\(world.home)/.local/bin:\(folder)"], exits: 0)
        }
    }

    @Test func missingProgramsAndFoldersAreNamed() async throws {
        try await withSetupWorld { _, world in
            let folder = try world.folder(with: "yett")
            let withoutDocker = await world.setUp("docker", "registry.example.org", "sandbox", "--yes", with: ["PATH": folder], exits: 2)
            #expect(withoutDocker.errors.hasPrefix("yett: error: docker is not in PATH\n"))
            try world.writeProgram("docker", "exit 0\n")
            try world.tool("mv", world.home + "/.local/bin/docker", folder)
            let withoutFolder = await world.setUp("docker", "registry.example.org", "sandbox", "--yes", with: ["PATH": folder], exits: 2)
            #expect(
                withoutFolder.errors.hasPrefix(
                    "yett: error: \(world.home)/.local/bin is not in PATH, where docker looks for docker-credential-yett\n"))
            #expect(!world.has(".docker/config.json"))
        }
    }

    @Test func failureHalfWayRestoresEverything() async throws {
        try await withDocker { _, world in
            // A folder in place of the file's folder.
            try world.write("not a folder", to: "elsewhere")
            let result = await world.setUp(
                "docker", "registry.example.org", "sandbox", "--yes", with: ["DOCKER_CONFIG": world.home + "/elsewhere"], exits: 2)
            #expect(result.output == "")
            #expect(!world.has(".local/bin/docker-credential-yett"))
            #expect(try !world.text(world.configurationPath).contains("api_hosts"))
        }
    }
}
