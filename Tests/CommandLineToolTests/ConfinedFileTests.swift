import Agent
import Glibc
import OperatingSystem
import ProcessHarness
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Files that a command of `yett exec --intercept --isolated` neither reads nor writes.
@Suite(.startsPrograms) struct ConfinedFileTests {
    /// The agent reads the configuration again at its next request, and runs commands that it names.
    @Test func isolatedCommandCannotReplaceWhatIsCovered() async throws {
        try await InterceptedHome.use { home in
            let (path, dotfiles) = (home.world.configurationPath, home.world.home + "/dotfiles")
            let (folder, real) = (String(path.dropLast("/config.toml".count)), dotfiles + "/yett.toml")
            let text = try home.world.text(path)
            // The folder by a link to a link, and in it the file by a link.
            mkdir(dotfiles, 0o700)
            try #require(rename(path, real) == 0 && rename(folder, dotfiles + "/yett") == 0)
            try #require(symlink("yett", dotfiles + "/link") == 0 && symlink("../dotfiles/link", folder) == 0)
            try #require(symlink("../yett.toml", path) == 0)
            try #require(try home.world.text(path) == text)
            let names = [".config/yett", ".config", ".local/share", ".local"] + ["yett.toml", "link", "yett"].map { "dotfiles/" + $0 }
            let script = """
                cat '\(real)' '\(path)' 2>/dev/null
                for name in \(names.joined(separator: " ")) dotfiles; do
                    mv "$HOME/$name" "$HOME/$name.x" 2>/dev/null && echo "moved $name"
                done
                mkdir -p '\(folder)'; echo >'\(path)'; echo >'\(real)'
                """
            let isolated = try await home.run(script, ["--isolated"])
            #expect(isolated.output == "", "\(isolated)")
            #expect(try home.world.text(real) == text)
            #expect(try home.world.text(path) == text)
            let plain = try await home.run("cat '\(real)'")
            #expect(plain.output.contains("[providers.sandbox]"), "\(plain)")
        }
    }

    /// The agent reads the provider's endpoints there, to which it sends refresh tokens. Its variables may be others than those here.
    @Test func isolatedCommandCannotReplaceCachedMetadata() async throws {
        try await InterceptedHome.use { home in
            let folder = home.world.home + "/.cache/yett"
            try #require(!FolderListing.names(in: folder).isEmpty)
            let script = "mkdir -p '\(folder)'; ls '\(folder)'; touch '\(folder)/written'"
            for variables in [[:], ["XDG_CACHE_HOME": home.world.home + "/other"]] {
                let isolated = try await home.run(script, ["--isolated"], with: variables)
                #expect(isolated.output == "", "\(isolated)")
                #expect(access(folder + "/written", F_OK) != 0)
            }
            // Nor create it.
            try #require(rename(folder, folder + ".former") == 0)
            _ = try await home.run(script, ["--isolated"])
            #expect(access(folder + "/written", F_OK) != 0)
            let plain = try await home.run(script)
            #expect(plain.status == 0 && access(folder + "/written", F_OK) == 0, "\(plain)")
        }
    }

    /// KDE names a folder of the user's in XDG_CONFIG_DIRS. Root creates none, because it would be for all users.
    @Test(arguments: geteuid() == 0 ? [true] : [true, false]) func isolatedCommandIsNoAdministrator(exists: Bool) async throws {
        try await InterceptedHome.use { home in
            let path = home.world.home + "/system/yett/config.toml"
            if exists { try home.world.configureSystem("") }
            let script = "mkdir -p '\(home.world.home)/system/yett'; echo '# written' >'\(path)'"
            _ = try await home.run(script, ["--isolated"])
            #expect(!home.world.files(containing: "# written").contains("/system/yett/config.toml"))
            _ = try await home.run(script)
            #expect(home.world.files(containing: "# written").contains("/system/yett/config.toml"))
        }
    }

    /// The agent continues with a new program file by itself, and trusts a provider by the certificates in a file.
    @Test(arguments: [true, false]) func isolatedCommandCannotReplaceTheProgram(isAlone: Bool) async throws {
        try await InterceptedHome.use { home in
            mkdir(home.world.home + "/libexec", 0o755)
            try home.world.write("former\n", to: "libexec/yett-main")
            if !isAlone { try home.world.write("former\n", to: "libexec/other") }
            let recorder = StreamRecorder(told: nil)
            var edges = home.world.edges(into: recorder)
            edges.agentProgram = home.world.home + "/libexec/yett-main"
            let script = """
                cd; read line <libexec/yett-main; echo "$line" >read
                authority=$(sed -n 's/ca_file = "\\(.*\\)"/\\1/p' config); echo new >>"$authority" && echo written >>read
                echo new >libexec/yett-main && echo written >>read
                echo new >new; mv new libexec/yett-main && echo moved >>read
                mv libexec elsewhere && echo moved >>read; echo new >libexec/other
                """
            try home.world.write(try home.world.text(home.world.configurationPath), to: "config")
            let words = ["exec", "sandbox", "--intercept"] + InterceptedHome.allowed(["--isolated"])
            _ = await Program.run(words + ["--", "sh", "-c", "exec 2>/dev/null\n\(script)"], edges: edges)
            #expect(try home.world.text(home.world.home + "/read") == "former\n")
            #expect(try home.world.text(home.world.home + "/libexec/yett-main") == "former\n")
            // What else is in the folder is the command's.
            #expect(FileStatus.exists(home.world.home + "/libexec/other") != isAlone)
            if !isAlone { #expect(try home.world.text(home.world.home + "/libexec/other") == "new\n") }
        }
    }

    /// A folder of another user in one of this user's can be renamed, with all covers in it. Only root can make one.
    @Test(arguments: geteuid() == 0 ? [65_534] : []) func folderOfAnotherUserOnTheWayStays(user: uid_t) async throws {
        try await InterceptedHome.use { home in
            let folder = home.world.home + "/.config"
            try #require(chown(folder, user, gid_t.max) == 0)
            let script = "cd; mv .config .config.x 2>/dev/null && echo moved && mv .config.x .config"
            #expect(try await home.run(script, ["--isolated"]).output == "")
            #expect(try await home.run(script).output == "moved\n")
        }
    }

    /// The agent reads certificates again, and a variable may name several folders.
    @Test func isolatedCommandCannotReplaceALinkToCertificates() async throws {
        try await InterceptedHome.use { home in
            let world = home.world
            for folder in ["links", "certificates"] { mkdir("\(world.home)/\(folder)", 0o700) }
            let link = world.home + "/links/certificates.pem"
            let text = try world.text(world.configurationPath)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ca_file") })
            try #require(symlink(String(line.dropFirst("ca_file = \"".count).dropLast()), link) == 0)
            try world.configure(text.replacing(line, with: "ca_file = \"\(link)\""))
            let script = """
                cd; ln -sfn /tmp/other.pem links/certificates.pem 2>/dev/null && echo replaced
                touch certificates/written 2>/dev/null && echo written
                """
            let variables = ["SSL_CERT_DIR": "/etc/ssl/certs:\(world.home)/certificates"]
            #expect(try await home.run(script, ["--isolated"], with: variables).output == "")
            let plain = try await home.run(script, with: variables)
            #expect(plain.output == "replaced\nwritten\n", "\(plain)")
        }
    }

    /// The agent may be of another installation, or have other variables than this command.
    @Test func certificatesOfTheAgentStayAsTheyAre() async throws {
        try await InterceptedHome.use { home in
            let world = home.world
            let folder = world.home + "/certificates"
            mkdir(folder, 0o700)
            var variables = world.environment.merging(world.toolEnvironment) { $1 }
            variables["YETT_NO_AGENT"] = nil
            // Not the one of this user.
            variables["XDG_RUNTIME_DIR"] = world.home + "/run"
            mkdir(world.home + "/run", 0o700)
            let yett = try Product.program("yett-main")
            func run(_ words: [String], _ more: [String: String] = [:]) async throws -> ProgramResult {
                try await Program(yett, words, environment: variables.merging(more) { $1 }, folder: world.home).run()
            }
            let started = try await run(["agent", "start"], ["SSL_CERT_DIR": "/etc/ssl/certs:" + folder])
            #expect(started.status == 0, "\(started)")
            let words = ["exec", "sandbox", "--intercept"] + InterceptedHome.allowed(["--isolated"])
            let script = "touch '\(folder)/written' 2>/dev/null; echo end"
            // Also beside an agent of another machine, for which this one stands.
            for socket in [nil, world.home + "/run/yett/agent.sock"] {
                let isolated = try await run(words + ["--", "sh", "-c", script], socket.map { [AgentLocation.variable: $0] } ?? [:])
                #expect(isolated.output == "end\n" && access(folder + "/written", F_OK) != 0, "\(isolated)")
            }
            #expect(try await run(["agent", "stop"]).status == 0)
            _ = try await run(words + ["--", "sh", "-c", script])
            #expect(access(folder + "/written", F_OK) == 0)
        }
    }

    /// systemd's agent is in the runtime folder of the login, which a shell of cron or su does not have.
    @Test(arguments: [[:], ["XDG_RUNTIME_DIR": "/run/own"], ["XDG_RUNTIME_DIR": "", AgentLocation.variable: "/tmp/other.sock"]])
    func agentsAreLookedForAtEachPlace(environment: [String: String]) {
        let places = CommandConfinement.agentLocations(environment)
        let own = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 + "/yett" }
        let expected = ["/run/user/\(geteuid())/yett", "/tmp/yett-\(geteuid())"] + [own].compactMap(\.self)
        #expect(Set(places.map(\.folder)) == Set(expected))
        #expect(places.allSatisfy { $0.remoteSocket == nil })
    }

    @Test func emptyVariableLocksNothing() async throws {
        try await InterceptedHome.use { home in
            let script = "cd; echo written >written"
            _ = try await home.run(script, ["--isolated"], with: ["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""])
            #expect(try home.world.text(home.world.home + "/written") == "written\n")
        }
    }

    @Test(arguments: ["", "./"]) func passphraseFileIsCovered(prefix: String) async throws {
        try await InterceptedHome.use { home in
            try home.world.write("correct horse\n", to: "passphrase")
            let path = prefix.isEmpty ? home.world.home + "/passphrase" : prefix + "passphrase"
            let script = "cat ~/passphrase; echo \"$YETT_PASSPHRASE_FILE\""
            let variables = ["YETT_PASSPHRASE_FILE": path]
            #expect(try await home.run(script, ["--isolated"], with: variables).output == "\n")
            #expect(try await home.run(script, with: variables).output == "correct horse\n\(path)\n")
        }
    }

    /// Yett's own files elsewhere: a token that it keeps fresh, and a client's secret and keys.
    @Test func filesWithSecretsAreCovered() async throws {
        try await InterceptedHome.use { home in
            let world = home.world
            let own = try world.text(world.configurationPath)
            mkdir(world.home + "/tokens", 0o700)
            try world.write("a token\n", to: "tokens/token")
            for name in ["secret", "certificate", "key"] { try world.write("a \(name)\n", to: name) }
            try home.list(tokenFile: "tokens/token")
            try world.configure(
                try world.text(world.configurationPath) + """

                    [providers.other]
                    kind = "oidc"
                    issuer = "https://id.example.org"
                    client_id = "c"
                    client_secret_file = "\(world.home)/secret"

                    [providers.third]
                    kind = "oidc"
                    issuer = "https://id.example.com"
                    client_id = "c"
                    client_auth = "tls"
                    client_certificate_file = "\(world.home)/certificate"
                    client_key_file = "\(world.home)/key"
                    """)
            let script = "cd; cat tokens/token secret certificate key 2>/dev/null"
            #expect(try await home.run(script, ["--isolated"]).output == "")
            #expect(try await home.run(script).output == "a token\na secret\na certificate\na key\n")
            // They are the agent's, also if this command has another configuration.
            try world.write(own, to: "other.toml")
            #expect(try await home.run(script, ["--isolated"], with: ["YETT_CONFIG": world.home + "/other.toml"]).output == "")
        }
    }

    /// A cover on a file is gone when the file is replaced from outside.
    @Test(arguments: [true, false]) func renewedTokenStaysCovered(existsBefore: Bool) async throws {
        try await InterceptedHome.use { home in
            let world = home.world
            mkdir(world.home + "/tokens", 0o700)
            if existsBefore { try world.write("first\n", to: "tokens/token") }
            try home.list(tokenFile: "tokens/token")
            let script = "cat \"$HOME/tokens/token\" 2>/dev/null; echo end"
            let renewal = { try PrivateFile.replace(world.home + "/tokens/token", with: Array("second\n".utf8)) }
            #expect(try await home.run(script, ["--isolated"], after: renewal) == "end\n")
            #expect(try await home.run(script, after: renewal) == "second\nend\n")
        }
    }

    /// What the command writes there, the agent would run.
    @Test func replacedConfigurationStaysCovered() async throws {
        try await InterceptedHome.use { home in
            let (path, real) = (home.world.configurationPath, home.world.home + "/dotfiles/yett.toml")
            let text = try home.world.text(path)
            mkdir(home.world.home + "/dotfiles", 0o700)
            try home.world.write("other\n", to: "dotfiles/other")
            try #require(rename(path, real) == 0 && symlink(real, path) == 0)
            let script = "echo '# written' >'\(real)'; cat \"$HOME/dotfiles/other\""
            let output = try await home.run("(\(script)) 2>/dev/null", ["--isolated"]) {
                try PrivateFile.replace(path, with: Array(text.utf8))
            }
            // The folder has files that the command may read.
            #expect(output == "other\n")
            #expect(try home.world.text(real) == text)
        }
    }

    /// A program that ends removes its socket, and the folder of it, while the covers are made.
    @Test func whatIsGoneMeanwhileNeedsNoCover() async throws {
        try await InterceptedHome.use { home in
            let end = home.world.home + "/end"
            // Each is another chance to be gone between two calls.
            let folders = (0..<40).map { "\(home.world.home)/brief\($0)" }
            let others = folders.enumerated().map { index, folder in
                """

                [providers.p\(index)]
                kind = "oidc"
                issuer = "https://id\(index).example.org"
                client_id = "c"
                client_secret_file = "\(folder)/secret"

                """
            }
            try home.world.configure(try home.world.text(home.world.configurationPath) + others.joined())
            defer { close(open(end, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)) }
            async let changes: Void = DetachedThread.run {
                while access(end, F_OK) != 0 {
                    for folder in folders {
                        mkdir(folder, 0o700)
                        close(open(folder + "/secret", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
                    }
                    for folder in folders {
                        unlink(folder + "/secret")
                        rmdir(folder)
                    }
                }
            }
            for _ in 0..<20 {
                let result = try await home.run("echo ran", ["--isolated"])
                #expect(result.output == "ran\n", "\(result)")
            }
            close(open(end, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
            await changes
        }
    }

    /// A folder that the command needs cannot be covered.
    @Test(arguments: ["token", "missing", "link/missing"]) func tokenFileInTheHomeFolderIsRefused(path: String) async throws {
        try await InterceptedHome.use { home in
            try home.world.write("a token\n", to: "token")
            try #require(symlink(home.world.home, home.world.home + "/link") == 0)
            try home.list(tokenFile: path)
            let result = try await home.run("cat \"$HOME/token\"", ["--isolated"])
            #expect(result.status == 2 && result.output == "", "\(result)")
            #expect(result.errors.contains("hint: move it to a folder of its own"), "\(result)")
        }
    }
}
