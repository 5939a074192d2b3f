import AuthModel
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup git` with the installed git.
@Suite(.enabled(if: Product.installed("git") != nil, "git is not installed"))
struct SetupGitTests {
    private static let own = "# my own\n[user]\n\tname = Ada\n[credential]\n\thelper = store\n"

    private func host(_ server: SandboxServer) -> String { "http://127.0.0.1:\(server.port)" }

    @Test func gitGetsTheTokenAndRemovingRestoresEveryByte() async throws {
        try await withSetupWorld { server, world in
            try world.write(Self.own, to: ".gitconfig")
            // The general helper has another password for the host, which git must not use.
            try world.write("http://bob:other@127.0.0.1%3a\(server.port)\n", to: ".git-credentials")
            let configuration = try world.text(world.configurationPath)
            let host = host(server)
            let result = await world.setUp("git", host, "sandbox", "--yes", exits: 0)
            #expect(
                result.output == """
                    set up: git gets tokens of sandbox for \(host)
                    checked: git credential fill returned a token, sent for the user oauth2

                    """)
            #expect(
                result.errors == """
                    Let git get tokens of sandbox for \(host):
                      \(world.home)/.gitconfig
                        $ git config --global --replace-all credential.\(host).helper ''
                        $ git config --global --add credential.\(host).helper '!yett helper git sandbox'
                        + [credential "\(host)"]
                        +   helper = 
                        +   helper = !yett helper git sandbox
                      \(world.configurationPath), [providers.sandbox]
                        + api_hosts = ["127.0.0.1:\(server.port)"]

                    """)
            let added = "[credential \"\(host)\"]\n\thelper = \n\thelper = !yett helper git sandbox\n"
            #expect(try world.content(".gitconfig") == Self.own + added)
            let token = await world.run("token", "sandbox").output.dropLast()
            let request = "protocol=http\nhost=127.0.0.1:\(server.port)\n\n"
            let filled = try world.tool("git", "credential", "fill", input: request)
            #expect(filled.contains("username=oauth2\npassword=\(token)\n"))
            #expect(!(result.output + result.errors).contains(token))
            // git also stores what a server accepted; no helper may write the token to a file.
            try world.tool("git", "credential", "approve", input: filled + "\n")
            #expect(world.files(containing: String(token)) == [])

            let list = await world.setUp("--list")
            #expect(list.output == "TOOL  FOR  \(String(repeating: " ", count: host.count - 3))SESSION\ngit   \(host)  sandbox\n")

            let removed = await world.setUp("git", host, "--remove", "--yes", exits: 0)
            #expect(removed.output == "removed: git gets no tokens for \(host)\n")
            #expect(removed.errors.contains("    - api_hosts = [\"127.0.0.1:\(server.port)\"]\n"))
            #expect(removed.errors.contains("    -   helper = !yett helper git sandbox\n"))
            #expect(try world.content(".gitconfig") == Self.own)
            #expect(try world.text(world.configurationPath) == configuration)
        }
    }

    @Test func homeWithoutGitConfigurationHasNoneAfterRemoving() async throws {
        try await withSetupWorld { server, world in
            #expect(await world.setUp("git", host(server), "sandbox", "--yes").status == 0)
            #expect(await world.setUp("git", host(server), "sandbox", "--remove", "--yes").status == 0)
            #expect(!world.has(".gitconfig"))
            let again = await world.setUp("git", host(server), "--remove", exits: 0)
            #expect(again.output == "not set up: git gets no tokens for \(host(server)); nothing was changed\n")
        }
    }

    @Test func secondRunChangesNothingAndAsksNothing() async throws {
        try await withSetupWorld { server, world in
            await world.setUp("git", host(server), "sandbox", "--yes")
            let before = [try world.content(".gitconfig"), try world.text(world.configurationPath)]
            let again = await world.setUp("git", host(server), "sandbox", "--json", exits: 0)
            #expect(again.errors == "")
            let answer = try again.json
            #expect(answer["result"] == "already_set_up")
            #expect(answer["checked"] == true)
            #expect([try world.content(".gitconfig"), try world.text(world.configurationPath)] == before)
        }
    }

    @Test func anotherSessionReplacesTheFirst() async throws {
        try await withSetupWorld { server, world in
            await server.autoApprove(as: "grace")
            try await world.signIn("sandbox")
            await world.setUp("git", host(server), "sandbox/ada", "--yes")
            let result = await world.setUp("git", host(server), "sandbox/grace", "--yes", exits: 0)
            #expect(result.errors.contains("    -   helper = !yett helper git sandbox/ada\n"))
            #expect(result.errors.contains("    +   helper = !yett helper git sandbox/grace\n"))
            #expect(!result.errors.contains("api_hosts"))
            let helpers = try world.tool("git", "config", "--global", "--get-all", "credential.\(host(server)).helper")
            #expect(helpers == "\n!yett helper git sandbox/grace\n")
            let other = await world.setUp("git", host(server), "sandbox/ada", "--remove", "--yes", exits: 64)
            #expect(other.errors.contains("git gets tokens of sandbox/grace for \(host(server)), not of sandbox/ada"))
        }
    }

    @Test func hostOfAnotherHelperIsRefused() async throws {
        try await withSetupWorld { server, world in
            let text = "[credential \"\(host(server))/\"]\n\thelper = !gh auth --password=secret-word\n"
            try world.write(text, to: ".gitconfig")
            let result = await world.setUp("git", host(server), "sandbox", "--yes", exits: 2)
            #expect(result.output == "")
            #expect(
                result.errors == """
                    yett: error: git already gets credentials for \(host(server)) from '!gh …'
                    yett: hint: remove that first: git config --global --unset-all credential.\(host(server))/.helper

                    """)
            #expect(try world.content(".gitconfig") == text)
        }
    }

    @Test func otherFilesOfGitAreUsed() async throws {
        try await withSetupWorld { server, world in
            // git writes to this file if there is no .gitconfig.
            try world.write("[user]\n\tname = Ada\n", to: ".config/git/config")
            let result = await world.setUp("git", host(server), "sandbox", "--yes")
            #expect(result.errors.contains("  \(world.home)/.config/git/config\n"))
            #expect(!world.has(".gitconfig"))
            #expect(await world.setUp("git", host(server), "--remove", "--yes").status == 0)
            #expect(try world.content(".config/git/config") == "[user]\n\tname = Ada\n")
            // A helper in an included file is found, and is not ours to remove.
            try world.write("[include]\n\tpath = \(world.home)/more\n", to: ".config/git/config")
            try world.write("[credential \"\(host(server))\"]\n\thelper = !yett helper git sandbox\n", to: "more")
            #expect(await world.setUp("--list").output.hasSuffix("  sandbox\n"))
            let removed = await world.setUp("git", host(server), "--remove", "--yes", exits: 2)
            #expect(removed.errors.contains("is in a file that \(world.home)/.config/git/config includes"))
        }
    }

    @Test func linkedFileStaysALink() async throws {
        try await withSetupWorld { server, world in
            try world.write("", to: "dotfiles/gitconfig")
            try world.tool("ln", "-s", "dotfiles/gitconfig", world.home + "/.gitconfig")
            #expect(await world.setUp("git", host(server), "sandbox", "--yes").status == 0)
            #expect(try world.content("dotfiles/gitconfig")?.contains("yett helper git sandbox") == true)
            #expect(await world.setUp("git", host(server), "--remove", "--yes").status == 0)
            #expect(try world.content("dotfiles/gitconfig")?.isEmpty == true)
            #expect(FileSnapshot.isLink(world.home + "/.gitconfig"))
        }
    }

    @Test func helpersThatTheUserAddedStay() async throws {
        try await withSetupWorld { server, world in
            #expect(await world.setUp("git", host(server), "sandbox", "--yes").status == 0)
            try world.tool("git", "config", "--global", "--add", "credential.\(host(server)).helper", "cache")
            await world.setUp("git", host(server), "--remove", "--yes", exits: 0)
            #expect(try world.tool("git", "config", "--global", "--get-all", "credential.\(host(server)).helper") == "\ncache\n")
        }
    }

    @Test func damagedConfigurationIsReported() async throws {
        try await withSetupWorld { server, world in
            try world.write("[user\n", to: ".gitconfig")
            let result = await world.setUp("git", host(server), "sandbox", "--yes", exits: 2)
            #expect(result.errors.contains("git failed: fatal: bad config line 1 in file \(world.home)/.gitconfig"))
            let list = await world.setUp("--list", exits: 2)
            #expect(list.errors.contains("yett: warning: git is left out: git failed: fatal: bad config line 1"))
        }
    }

    @Test func missingProgramsAreNamed() async throws {
        try await withSetupWorld { server, world in
            let withoutGit = await world.setUp("git", host(server), "sandbox", "--yes", with: ["PATH": try world.folder(with: "yett")])
            #expect(withoutGit.status == 2)
            #expect(
                withoutGit.errors == "yett: error: git is not in PATH\nyett: hint: install git, or add its folder to PATH\n")
            let folder = try world.folder(with: "git")
            try world.tool("rm", folder + "/yett")
            let withoutYett = await world.setUp("git", host(server), "sandbox", "--yes", with: ["PATH": folder], exits: 2)
            #expect(withoutYett.errors.hasPrefix("yett: error: yett is not in PATH, where git looks for it\n"))
            #expect(!world.has(".gitconfig"))
        }
    }

    @Test func failureHalfWayRestoresEverything() async throws {
        try await withSetupWorld { server, world in
            try world.write(Self.own, to: ".gitconfig")
            let configuration = try world.text(world.configurationPath)
            let git = try #require(Product.installed("git"))
            try world.writeProgram("git", "[[ \" $* \" == *' --add '* ]] && { echo 'disk full' >&2; exit 4; }\nexec \(git) \"$@\"\n")
            let result = await world.setUp("git", host(server), "sandbox", "--yes", exits: 2)
            #expect(result.output == "")
            #expect(result.errors.contains("yett: error: git failed: disk full\n"))
            #expect(try world.content(".gitconfig") == Self.own)
            #expect(try world.text(world.configurationPath) == configuration)
        }
    }

    @Test func configurationThatCannotBeChangedLeavesGitAsItWas() async throws {
        try await withSetupWorld { server, world in
            try world.write(Self.own, to: ".gitconfig")
            let configuration = try world.text(world.configurationPath)
            let git = try #require(Product.installed("git"))
            // Another program damages the configuration while git works; its change is not ours to undo.
            try world.writeProgram(
                "git", "[[ \" $* \" == *' --add '* ]] && echo '[nonsense' >> \(world.configurationPath)\nexec \(git) \"$@\"\n")
            let result = await world.setUp("git", host(server), "sandbox", "--yes", exits: 2)
            #expect(result.errors.contains("\(world.configurationPath):"), "\(result.errors)")
            #expect(try world.content(".gitconfig") == Self.own)
            #expect(try world.text(world.configurationPath) == configuration + "[nonsense\n")
        }
    }

    @Test func refusedTokenIsReportedAndTheSetupStays() async throws {
        try await withSetupWorld(more: "policy = \"deny\"\n") { server, world in
            let result = await world.setUp("git", host(server), "sandbox", "--yes", exits: 2)
            #expect(result.output == "set up: git gets tokens of sandbox for \(host(server))\n")
            #expect(result.errors.contains("yett: error: git got no token for \(host(server)): "), "\(result.errors)")
            #expect(!result.errors.contains("could not read Username"))
            #expect(await world.setUp("git", host(server), "--remove", "--yes").status == 0)
        }
    }

    @Test(arguments: ["a b", "", "git.example.org/path", "http://git.example.org", "https://a?b", "ftp://a"])
    func invalidHostIsRefused(host: String) async throws {
        let result = await (try CommandWorld()).setUp("git", host, "work", "--yes", exits: 64)
        #expect(result.output == "")
    }
}
