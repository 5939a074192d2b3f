import AuthModel
import Glibc
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup` for the tools that run a command of Yett for a token, up to what the tool would run.
struct SetupTokenToolTests {
    /// A tool, the words of the command, its file with what it has before and after; `PORT` is the sandbox's, and `HOME` the home.
    private struct Row: Sendable, CustomStringConvertible {
        let words: [String]
        let path: String
        let before: String?
        let after: String
        var program: String?
        var description: String { words[0] }
    }

    private static let rows = [
        Row(
            words: ["claude"], path: ".claude/settings.json",
            before: "{\n  // mine\n  \"env\": {\"ANTHROPIC_BASE_URL\": \"http://127.0.0.1:PORT/\"}\n}\n",
            after:
                "{\n  // mine\n  \"env\": {\"ANTHROPIC_BASE_URL\": \"http://127.0.0.1:PORT/\"},\n  \"apiKeyHelper\": \"YETT helper anthropic sandbox\"\n}\n"
        ),
        Row(
            words: ["codex", "gateway"], path: ".codex/config.toml",
            before: "[model_providers.gateway] # mine\nbase_url = \"http://127.0.0.1:PORT/v1\"\n",
            after:
                "[model_providers.gateway] # mine\nbase_url = \"http://127.0.0.1:PORT/v1\"\n\n[model_providers.gateway.auth]\ncommand = \"YETT\"\nargs = [\"token\", \"sandbox\"]\n"
        ),
        Row(
            words: ["pip", "127.0.0.1:PORT"], path: ".config/pip/pip.conf", before: "[install]\nno-input = true\n",
            after: "[install]\nno-input = true\n\n[global]\nkeyring-provider = subprocess\n", program: ".local/bin/keyring"),
        Row(
            words: ["pip", "127.0.0.1:PORT"], path: ".config/pip/pip.conf", before: nil, after: "[global]\nkeyring-provider = subprocess\n",
            program: ".local/bin/keyring"),
        Row(
            words: ["uv", "127.0.0.1:PORT"], path: ".config/uv/uv.toml", before: "[pip]\nstrict = true\n",
            after: "keyring-provider = \"subprocess\"\n[pip]\nstrict = true\n", program: ".local/bin/keyring"),
        Row(
            words: ["cargo", "work"], path: ".cargo/config.toml", before: "[registries.work]\nindex = \"sparse+http://127.0.0.1:PORT/\"\n",
            after:
                "[registries.work]\ncredential-provider = [\"HOME/.local/bin/cargo-credential-yett\"]\nindex = \"sparse+http://127.0.0.1:PORT/\"\n",
            program: ".local/bin/cargo-credential-yett"),
        Row(
            words: ["bazel", "127.0.0.1:PORT"], path: ".bazelrc", before: "build --jobs=2\n",
            after: "build --jobs=2\ncommon --credential_helper=127.0.0.1=HOME/.local/bin/bazel-credential-yett\n",
            program: ".local/bin/bazel-credential-yett"),
        Row(
            words: ["terraform", "127.0.0.1:PORT"], path: ".terraformrc", before: "disable_checkpoint = true\n",
            after: "disable_checkpoint = true\ncredentials_helper \"yett\" {}\n", program: ".terraform.d/plugins/terraform-credentials-yett"
        ),
        Row(
            words: ["rclone", "files"], path: ".config/rclone/rclone.conf",
            before: "[files]\ntype = webdav\nurl = http://127.0.0.1:PORT/dav\n\n[other]\npass = secret-word\n",
            after:
                "[files]\nbearer_token_command = YETT token sandbox\ntype = webdav\nurl = http://127.0.0.1:PORT/dav\n\n[other]\npass = secret-word\n"
        ),
    ]

    private static let variables = Dictionary(
        uniqueKeysWithValues: [
            "XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "CARGO_HOME", "PIP_CONFIG_FILE", "RCLONE_CONFIG", "TF_CLI_CONFIG_FILE",
        ].map { ($0, "") })

    @Test(arguments: rows)
    private func tokenIsCheckedAndRemovingRestoresEveryByte(row: Row) async throws {
        try await withSetupWorld { server, world in
            func filled(_ text: String) -> String {
                text.replacing("PORT", with: String(server.port)).replacing("YETT", with: "\(Product.folder)/yett").replacing(
                    "HOME", with: world.home)
            }
            func run(_ more: String...) async -> CommandResult {
                await world.run(["setup"] + row.words.map(filled) + more, with: world.toolEnvironment.merging(Self.variables) { $1 })
            }
            if let before = row.before { try world.write(filled(before), to: row.path) }
            let configuration = try world.text(world.configurationPath)
            let result = await run("sandbox", "--yes")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("returned a token"), "\(result.output)")
            #expect(try world.content(row.path) == filled(row.after))
            #expect(try world.text(world.configurationPath).contains("api_hosts = [\"127.0.0.1:\(server.port)\"]"))
            #expect(!(result.output + result.errors).contains("secret-word"))
            if let program = row.program { #expect(FileStatus.mode("\(world.home)/\(program)") == 0o755) }
            let again = await run("sandbox")
            #expect(again.output.hasPrefix("already set up: "), "\(again)")
            let list = await world.run(["setup", "--list", "--json"], with: world.toolEnvironment.merging(Self.variables) { $1 })
            #expect(try list.json["setups"]?.array?.contains { $0["tool"]?.string == row.words[0] } == true, "\(list)")
            let removed = await run("--remove", "--yes")
            #expect(removed.status == 0, "\(removed.errors)")
            if let before = row.before { #expect(try world.content(row.path) == filled(before)) } else { #expect(!world.has(row.path)) }
            if let program = row.program { #expect(!world.has(program)) }
            if !["pip", "uv", "bazel", "terraform"].contains(row.words[0]) {
                #expect(try world.text(world.configurationPath) == configuration)
            }
        }
    }

    @Test func otherCommandsAndProgramsAreLeftAlone() async throws {
        try await withSetupWorld { _, world in
            let settings = "{\"apiKeyHelper\": \"/opt/vault-token\"}"
            try world.write(settings, to: ".claude/settings.json")
            let claude = await world.setUp("claude", "sandbox", "--yes", with: Self.variables, exits: 2)
            #expect(claude.errors.contains("claude already gets its token from another command"), "\(claude.errors)")
            #expect(try world.content(".claude/settings.json") == settings)
            try world.writeProgram("keyring", "exit 0\n")
            let pip = await world.setUp("pip", "pypi.example.org", "sandbox", "--yes", with: Self.variables, exits: 2)
            #expect(pip.errors.contains("/.local/bin/keyring is another program"), "\(pip.errors)")
            #expect(!world.has(".config/pip/pip.conf"))
            for words in [["codex", "missing"], ["cargo", "missing"], ["rclone", "missing\n[x]"]] {
                let result = await world.run(
                    ["setup"] + words + ["sandbox", "--yes"], with: world.toolEnvironment.merging(Self.variables) { $1 })
                #expect(result.status == 2 && result.errors.contains("has no address for"), "\(result.errors)")
            }
            for host in ["a b", "x y=z", "https://a/path", "-x\ncommon --x", "localhost", "[::1]:8443"] {
                #expect(await world.setUp("bazel", host, "sandbox", "--yes", with: Self.variables).status == 64, "\(host)")
            }
            #expect(!world.has(".bazelrc"))
        }
    }

    /// Settings that name a path with "yett" in it, or run yett in another way than a setup writes it, are the user's own.
    @Test(arguments: [
        "/opt/yett-token work", "/opt/yett/vault token work", "/usr/bin/yett token work --scope read", "sh -c 'yett token work'", "yett",
    ])
    func settingsThatOnlyLookLikeYettStay(command: String) async throws {
        try await withSetupWorld { _, world in
            let settings = JSONValue.members(("apiKeyHelper", .string(command))).text
            try world.write(settings, to: ".claude/settings.json")
            let rclone = "[files]\nurl = http://127.0.0.1:1/\nbearer_token_command = \(command)\n"
            try world.write(rclone, to: ".config/rclone/rclone.conf")
            for words in [["claude"], ["rclone", "files"]] {
                let result = await run(world, words + ["sandbox", "--yes"])
                #expect(result.status == 2 && result.errors.contains("already gets its token from another command"), "\(result.errors)")
                await run(world, words + ["--remove", "--yes"])
            }
            #expect(try world.content(".claude/settings.json") == settings)
            #expect(try world.content(".config/rclone/rclone.conf") == rclone)
        }
    }

    /// A program that is not exactly what a setup writes, or a link to one that is, stays.
    @Test(arguments: [
        "#!/bin/bash\nexec /opt/vault helper keyring \"$@\"\n", "#!/usr/bin/env sh\nexec /opt/vault helper keyring \"$@\"\n",
        "#!/usr/bin/env sh\nexec /opt/yett helper keyring \"$@\"\n# mine\n", "#!/usr/bin/env sh\nexec yett helper keyring \"$@\"\n", nil,
    ])
    func programsThatOnlyLookLikeYettStay(text: String?) async throws {
        try await withSetupWorld { _, world in
            let own = "#!/usr/bin/env sh\nexec /opt/yett helper keyring \"$@\"\n"
            let path = text == nil ? "tools/keyring" : ".local/bin/keyring"
            try world.writeProgram("other", "exit 0\n")
            try world.write(text ?? own, to: path)
            try FileSnapshot.makeProgram("\(world.home)/\(path)")
            if text == nil { try #require(symlink("\(world.home)/\(path)", "\(world.home)/.local/bin/keyring") == 0) }
            let pip = await run(world, ["pip", "pypi.example.org", "sandbox", "--yes"])
            #expect(pip.status == 2 && pip.errors.contains("/.local/bin/keyring is another program"), "\(pip.errors)")
            #expect(!world.has(".config/pip/pip.conf"))
            let settings = "[global]\nkeyring-provider = subprocess\n"
            try world.write(settings, to: ".config/pip/pip.conf")
            await run(world, ["pip", "pypi.example.org", "--remove", "--yes"])
            #expect(try world.content(path) == text ?? own)
            #expect(try world.content(".config/pip/pip.conf") == settings)
        }
    }

    @discardableResult
    private func run(_ world: CommandWorld, _ words: [String]) async -> CommandResult {
        await world.run(["setup"] + words, with: world.toolEnvironment.merging(Self.variables) { $1 })
    }
}
