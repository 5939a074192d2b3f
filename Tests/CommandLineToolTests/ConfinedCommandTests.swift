import Glibc
import OperatingSystem
import ProcessHarness
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool

/// `yett exec --intercept` with `--isolated` and `--user`: what the command does not get.
@Suite(.startsPrograms) struct ConfinedCommandTests {
    @Test func isolatedCommandReachesTheNetworkThroughTheProxyOnly() async throws {
        try await InterceptedHome.use { home in
            let run = try await home.run(
                """
                curl -sSf \(home.secure)/api/hello && echo "status by proxy $?"
                for address in \(home.secure)/api/hello \(home.server.issuer)/api/hello http://192.0.2.1/; do
                    curl -sS --noproxy '*' --max-time 300 "$address"; echo "status without $?"
                done
                curl -sS https://127.0.0.1:1/; curl -sS \(home.server.issuer)/api/hello
                umask; exit 7
                """, ["--isolated"])
            #expect(run.status == 7, "\(run.errors)")
            #expect(run.output.contains("status by proxy 0"), "\(run.output)")
            #expect(run.output.matches(of: #/status without 7\n/#).count == 3, "\(run.output)")
            #expect(run.errors.contains("no connection to 127.0.0.1:1: 127.0.0.1 is an address of this machine"), "\(run.errors)")
            #expect(run.output.contains("plain HTTP to 127.0.0.1 is refused; use https"), "\(run.output)")
            #expect(run.output.hasSuffix("0022\n"))
            #expect(home.fields("Authorization").map { $0?.hasPrefix("Bearer ") } == [true])
        }
    }

    @Test func isolatedCommandFindsNeitherStoreNorSocketsNorProcesses() async throws {
        try await InterceptedHome.use { home in
            let runtime = home.world.home + "/runtime"
            mkdir(runtime, 0o700)
            let abstract = home.world.home
            let sockets = try ["ABSTRACT-LISTEN:\(abstract)", "UNIX-LISTEN:\(runtime)/bus"].map { address in
                try Program("/usr/bin/socat", ["-d", "-d", address + ",fork", "/dev/null"], environment: [:]).start()
            }
            defer { for socket in sockets { socket.signal(SIGKILL) } }
            for socket in sockets { try await socket.until { $0.errors.contains("listening on") } }
            let script = """
                for folder in '\(home.world.storeDirectory)' '\(runtime)'; do find "$folder" -mindepth 1; done
                umount '\(runtime)' 2>/dev/null && echo uncovered
                unshare -Um umount '\(runtime)' 2>/dev/null && echo uncovered
                socat -u /dev/null UNIX-CONNECT:\(runtime)/bus 2>/dev/null && echo bus
                socat -u /dev/null ABSTRACT-CONNECT:\(abstract) 2>/dev/null && echo abstract
                kill -0 \(getpid()) 2>/dev/null && echo process; ls -d /proc/\(getpid()) 2>/dev/null
                grep -q '^Seccomp' /proc/self/status && grep ^CapBnd /proc/self/status
                """
            let variables = ["XDG_RUNTIME_DIR": runtime]
            let isolated = try await home.run(script, ["--isolated"], with: variables)
            #expect(isolated.output == "CapBnd:\t0000000000000000\n", "\(isolated)")
            // The same is there without isolation.
            let plain = try await home.run(script, with: variables)
            for word in ["sessions.db", "\(runtime)/bus", "bus\n", "abstract\n", "process\n", "/proc/\(getpid())\n"] {
                #expect(plain.output.contains(word), "\(word): \(plain)")
            }
        }
    }

    /// All processes of the command end with Yett, those in the background too.
    @Test func isolatedCommandEndsWithKilledYett() async throws {
        try await InterceptedHome.use { home in
            let path = home.world.home + "/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            let pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(pipe) }
            let script = "exec 3>'\(path)'; sleep 600 & sleep 600 & echo \"$SSL_CERT_FILE\"; wait"
            // In a folder of its own, where no other test removes what it leaves.
            let runtime = home.world.home + "/run"
            mkdir(runtime, 0o700)
            var isolated = try home.program(["--isolated", "--", "sh", "-c", script])
            isolated.environment["XDG_RUNTIME_DIR"] = runtime
            let program = try isolated.start()
            let bundle = try await program.until { $0.output.hasSuffix(".pem\n") }.output.dropLast()
            var byte: UInt8 = 0
            #expect(read(pipe, &byte, 1) == -1 && errno == EAGAIN)
            program.signal(SIGKILL)
            _ = await program.finish()
            try await eventually("the command still runs") {
                var byte: UInt8 = 0
                return read(pipe, &byte, 1) == 0
            }
            // The next command removes what the killed one has left, if one of another test has not.
            #expect(try await home.run("true", ["--isolated"], with: ["XDG_RUNTIME_DIR": runtime]).status == 0)
            #expect(access(String(bundle), F_OK) != 0)
        }
    }

    @Test func isolatedCommandGetsSignals() async throws {
        try await InterceptedHome.use { home in
            let script = "trap 'exit 9' TERM; sleep 600 & echo ready; wait"
            let program = try home.program(["--isolated", "--", "sh", "-c", script]).start()
            try await program.until { $0.output == "ready\n" }
            program.signal(SIGTERM)
            #expect(await program.finish().status == 9)
        }
    }

    /// A namespace in which no further one can be made stands for a machine that forbids them.
    @Test func nothingRunsWhereNamespacesAreForbidden() async throws {
        try await InterceptedHome.use { home in
            let forbid = ["/usr/bin/unshare", "-Ur", "sh", "-c", "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"", "sh"]
            let result = try await home.program(["--isolated", "--", "touch", "ran"], below: forbid).run()
            #expect(result.status == 2 && access(home.world.home + "/ran", F_OK) != 0)
            #expect(result.errors.contains("the command cannot be isolated on this machine: no namespaces for users"), "\(result)")
            #expect(result.errors.contains("sysctl user.max_user_namespaces=10000"), "\(result)")
        }
    }

    @Test(arguments: [[], ["--isolated"]]) func missingCommandIsReported(options: [String]) async throws {
        try await InterceptedHome.use { home in
            let options = InterceptedHome.allowed(options)
            let missing = await home.world.run(["exec", "sandbox", "--intercept"] + options + ["--", "no-such-program"])
            #expect(missing.status == 127 && missing.errors.contains("cannot run no-such-program"), "\(missing.errors)")
            await home.world.run(["exec", "sandbox", "--intercept"] + options + ["--", "sh", "-c", "kill -9 $$"], exits: 137)
        }
    }

    // MARK: Another user

    private static let root: Comment = "becoming another user takes root"

    @Test(.enabled(if: geteuid() == 0, root), arguments: [[], ["--isolated"]])
    func anotherUserGetsTokensAndNothingElse(options: [String]) async throws {
        try await InterceptedHome.use { home in
            let run = try await home.run(
                """
                id -un; echo "$HOME $USER"; env | grep -c TOP_SECRET
                curl -sSf \(home.secure)/api/hello && echo "status $?"
                cat '\(home.world.storePath)' /proc/\(getpid())/environ 2>/dev/null
                """, ["--user", "nobody"] + options, with: ["TOP_SECRET": "yes"])
            #expect(run.output.hasPrefix("nobody\n/nonexistent nobody\n0\n"), "\(run)")
            #expect(run.output.hasSuffix("status 0\n"), "\(run)")
            #expect(home.fields("Authorization").map { $0?.hasPrefix("Bearer ") } == [true])
        }
    }

    @Test(arguments: ["no-such-user", "root"]) func userWhoCannotBeConfinedIsRefused(name: String) async throws {
        try await InterceptedHome.use { home in
            await home.world.run("exec", "sandbox", "--intercept", "--user", name, "--", "true", exits: 64)
        }
    }
}
