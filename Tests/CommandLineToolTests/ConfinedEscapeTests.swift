import Glibc
import OperatingSystem
import ProcessHarness
import TestSupport
import Testing

@testable import CommandLineTool

/// Ways out of `yett exec --intercept` with `--isolated` and `--user` that are closed.
@Suite(.startsPrograms) struct ConfinedEscapeTests {
    @Test func workingDirectoryShowsNothingBelowACover() async throws {
        try await InterceptedHome.use { home in
            let cases: [(options: [String], isShown: Bool)] = [(["--isolated"], false), ([], true)]
            for (options, isShown) in cases {
                var program = try home.program(options + ["--", "sh", "-c", "pwd; ls; ls ../yett"])
                program.folder = home.world.storeDirectory
                let result = try await program.run()
                #expect(result.output.hasPrefix(home.world.storeDirectory + "\n"), "\(result)")
                #expect(result.output.contains("sessions.db") == isShown, "\(result)")
            }
        }
    }

    /// A command trusts its certificates for hosts that the proxy only tunnels, so no other one may write them: neither of one that runs already
    /// nor of one that starts later. It sees its own alone, and cannot change them.
    @Test func certificatesOfOtherCommandsAreNotReached() async throws {
        try await InterceptedHome.use { home in
            // The hostile command reads the first one, and the others wait at the second one until they are ended.
            let pipes = try ["go", "never"].map { name in
                let path = "\(home.world.home)/\(name)"
                try #require(mkfifo(path, 0o600) == 0)
                return open(path, O_RDWR | O_CLOEXEC)
            }
            defer { for pipe in pipes { close(pipe) } }
            let script = """
                exec 2>/dev/null; echo ready; read first later <"$HOME/go"
                for file in $first $later "$SSL_CERT_FILE"; do
                    grep -q BEGIN "$file" && echo read; echo EVIL >>"$file" && echo written
                done
                folder=${SSL_CERT_FILE%/*}; ls "${folder%/*}" | wc -l; mv "$folder" "$folder.x" && echo moved
                mv "${folder%/*}" /tmp/moved && echo moved; umount "${folder%/*}" && echo uncovered
                """
            func other() async throws -> (program: RunningProgram, certificates: String) {
                let waiting = try home.program(["--isolated", "--", "sh", "-c", "echo \"$SSL_CERT_FILE\"; read line <\"$HOME/never\""])
                    .start()
                return (waiting, String(try await waiting.until { $0.output.hasSuffix(".pem\n") }.output.dropLast()))
            }
            let first = try await other()
            defer { first.program.signal(SIGTERM) }
            let hostile = try home.program(["--isolated", "--", "sh", "-c", script]).start()
            try await hostile.until { $0.output.contains("ready\n") }
            let later = try await other()
            defer { later.program.signal(SIGTERM) }
            let others = "\(first.certificates) \(later.certificates)\n"
            try #require(write(pipes[0], others, others.utf8.count) == others.utf8.count)
            let result = await hostile.finish()
            #expect(result.output == "ready\nread\n1\n", "\(result)")
            for other in [first, later] { #expect(try !home.world.text(other.certificates).contains("EVIL")) }
        }
    }

    /// Another user may be the first to make the folder of all certificates. Only root can do that here.
    @Test(arguments: geteuid() == 0 ? [65_534] : []) func folderOfAnotherUserHasNoCertificates(user: uid_t) async throws {
        try await InterceptedHome.use { home in
            let (folder, foreign) = ("/tmp/yett-certificates-0", home.world.home + "/foreign")
            try #require(mkdir(foreign, 0o755) == 0 && chown(foreign, user, gid_t.max) == 0)
            let mount = "mkdir -p \(folder) && mount --bind '\(foreign)' \(folder) && exec \"$@\""
            let below = ["/usr/bin/unshare", "-Urm", "sh", "-c", mount, "sh"]
            let result = try await home.program(["--isolated", "--", "echo", "ran"], below: below).run()
            #expect(result.output == "" && result.errors.contains("is not a folder of yours"), "\(result)")
        }
    }

    /// An agent would sign for the command, and a connection that ssh keeps leads to another network.
    @Test func socketsOfTheUserAreCovered() async throws {
        try await InterceptedHome.use { home in
            let folder = home.world.home + "/agents"
            mkdir(folder, 0o700)
            let paths = [home.world.home + "/helper.sock", folder + "/agent 1", home.world.home + "/engine.sock"]
            let sockets = try paths.map { path in
                let listen = ["/usr/bin/socat", "-d", "-d", "UNIX-LISTEN:\(path),fork", "/dev/null"]
                // The last one is of a program with a network of its own, as container engines are.
                let command = path == paths.last ? ["/usr/bin/unshare", "--map-root-user", "--net"] + listen : listen
                return try Program(command[0], Array(command.dropFirst()), environment: [:]).start()
            }
            defer { for socket in sockets { socket.signal(SIGKILL) } }
            for socket in sockets { try await socket.until { $0.errors.contains("listening on") } }
            // As ssh makes the socket of a connection that it keeps, in a folder with other files.
            let kept = home.world.home + "/ssh-kept"
            try #require(rename(paths[0], kept) == 0)
            let script = """
                for path in '\(kept)' '\(paths[1])' '\(paths[2])'; do
                    socat -u /dev/null "UNIX-CONNECT:$path" 2>/dev/null && echo reached || echo covered
                done
                ls '\(folder)'
                """
            for variables in [[:], ["SSH_AUTH_SOCK": kept], ["TMUX": kept + ",1234,0"]] {
                #expect(try await home.run(script, ["--isolated"], with: variables).output == "covered\ncovered\ncovered\n")
            }
            #expect(try await home.run(script).output == "reached\nreached\nreached\nagent 1\n")
        }
    }

    /// The kernel's table has the path as it was bound, from wherever the program was.
    @Test func socketOfARelativePathIsCovered() async throws {
        try await InterceptedHome.use { home in
            let folder = home.world.home + "/agents"
            mkdir(folder, 0o700)
            try home.world.write("", to: "agents/other")
            var program = Program("/usr/bin/socat", ["-d", "-d", "UNIX-LISTEN:agent,fork", "/dev/null"], environment: [:])
            program.folder = folder
            let socket = try program.start()
            defer { socket.signal(SIGKILL) }
            try await socket.until { $0.errors.contains("listening on") }
            let script = "socat -u /dev/null 'UNIX-CONNECT:\(folder)/agent' 2>/dev/null && echo reached || echo covered"
            #expect(try await home.run(script, ["--isolated"]).output == "covered\n")
            #expect(try await home.run(script).output == "reached\n")
        }
    }

    /// tmux runs what a server tells it that it finds there.
    @Test func isolatedCommandIsNoServerOfTmux() async throws {
        try await InterceptedHome.use { home in
            let folder = "\(home.world.home)/tmux-\(geteuid())"
            let script = "mkdir -p -m 700 '\(folder)'; touch '\(folder)/default'"
            let variables = ["TMUX_TMPDIR": home.world.home]
            let isolated = try await home.run(script, ["--isolated"], with: variables)
            #expect(isolated.status == 0, "\(isolated)")
            #expect(access(folder + "/default", F_OK) != 0)
            let plain = try await home.run(script, with: variables)
            #expect(plain.status == 0, "\(plain)")
            #expect(access(folder + "/default", F_OK) == 0)
        }
    }

    /// A program that reads another terminal of the user gets what is typed there.
    @Test func otherTerminalsAreCovered() async throws {
        try await InterceptedHome.use { home in
            let (link, end) = (home.world.home + "/terminal", home.world.home + "/end.sock")
            let terminal = try Program("/usr/bin/socat", ["-d", "-d", "PTY,link=\(link)", "UNIX-LISTEN:\(end)"], environment: [:]).start()
            defer { terminal.signal(SIGKILL) }
            try await terminal.until { $0.errors.contains("listening on") }
            let script = "test -e \"$(readlink '\(link)')\" && echo there || echo none"
            #expect(try await home.run(script, ["--isolated"]).output == "none\n")
            #expect(try await home.run(script).output == "there\n")
        }
    }

    /// Programs of games give the user a right to type in all programs of the desktop. Files stand for the devices, because few machines that
    /// run tests have them.
    @Test func devicesThatTypeAreCovered() async throws {
        try await InterceptedHome.use { home in
            let devices = """
                set -e
                mkdir -p "$HOME/dev"
                mount -t tmpfs none "$HOME/dev"
                cd "$HOME/dev"
                mkdir input
                touch uinput input/event0
                for name in null zero full random urandom tty; do touch $name; mount --bind /dev/$name $name; done
                mount --rbind . /dev
                cd "$HOME"
                exec "$@"
                """
            // Number 1:3 is the empty device that covers a file.
            let script = """
                for path in /dev/uinput /dev/input/*; do if test -e $path; then stat -c %t:%T $path; fi; done | grep -vx 1:3
                echo end
                """
            let below = ["/usr/bin/unshare", "-Urm", "sh", "-c", devices, "sh"]
            let isolated = try await home.program(["--isolated", "--", "sh", "-c", script], below: below).run()
            #expect(isolated.output == "end\n", "\(isolated)")
            let plain = try await home.program(["--", "sh", "-c", script], below: below).run()
            #expect(plain.output == "0:0\n0:0\nend\n", "\(plain)")
        }
    }

    /// A container has the whole system at another place, too, and a bind mount has a part of it.
    @Test func otherMountsOfWhatIsCoveredAreCovered() async throws {
        try await InterceptedHome.use { home in
            let (store, whole, part) = (home.world.storeDirectory, home.world.home + "/whole", home.world.home + "/a part")
            let (config, terminals) = (home.world.home + "/config", home.world.home + "/pts")
            for folder in [whole, part, config, terminals] { mkdir(folder, 0o700) }
            let mounts = """
                mount --bind '\(home.world.home)/.local' '\(whole)' && mount --bind '\(store)' '\(part)' &&
                mount --bind '\(home.world.home)/.config' '\(config)' && mount --bind /dev/pts '\(terminals)' && exec "$@"
                """
            let script = """
                for folder in '\(whole)/share/yett' '\(part)' '\(config)/yett'; do
                    ls "$folder" | grep -E '^(sessions.db|config.toml)$'; touch "$folder/written"
                done
                ls '\(terminals)' | grep '^ptmx$'
                mv '\(whole)/share' '\(whole)/moved' 2>/dev/null && echo moved
                echo end
                """
            let below = ["/usr/bin/unshare", "-Urm", "sh", "-c", mounts, "sh"]
            let isolated = try await home.program(["--isolated", "--", "sh", "-c", script], below: below).run()
            #expect(isolated.output == "end\n", "\(isolated)")
            #expect(access(store + "/written", F_OK) != 0 && access(home.world.home + "/.config/yett/written", F_OK) != 0)
            let plain = try await home.program(["--", "sh", "-c", script], below: below).run()
            #expect(plain.output == "sessions.db\nsessions.db\nconfig.toml\nptmx\nmoved\nend\n", "\(plain)")
            #expect(access(home.world.home + "/.config/yett/written", F_OK) == 0)
        }
    }

    /// vsock(7) belongs to no network namespace, and a filter does not see what io_uring(7) does. The packet family stands for vsock on a
    /// machine that has none.
    @Test func callsPastTheNamespacesAreRefused() async throws {
        try await InterceptedHome.use { home in
            let perl = try #require(Product.installed("perl"))
            let script = """
                \(perl) -MSocket -e 'print socket(my $s, $_, SOCK_DGRAM, 0) ? 0 : $! + 0, "\\n" for 40, 17, 1, 2'
                \(perl) -e 'print syscall(425, 0, 0) < 0 ? $! + 0 : 0, "\\n"'
                """
            let isolated = try await home.run(script, ["--isolated"])
            #expect(isolated.output == "\(EAFNOSUPPORT)\n\(EAFNOSUPPORT)\n0\n0\n\(ENOSYS)\n", "\(isolated)")
            let plain = try await home.run(script).output.split(separator: "\n")
            #expect(plain.count == 5 && plain[1] != "\(EAFNOSUPPORT)", "\(plain)")
        }
    }

    /// A user namespace separates neither.
    @Test(arguments: options) func keyringsAreNotReached(options: [String]) async throws {
        try await InterceptedHome.use { home in
            let perl = try #require(Product.installed("perl"))
            #if arch(arm64)
                let keyctl = 219
            #else
                let keyctl = 250
            #endif
            // KEYCTL_GET_KEYRING_ID of the user's keyring.
            let script = "\(perl) -e 'print syscall(\(keyctl), 0, -4, 0) < 0 ? $! + 0 : 0, \"\\n\"'"
            #expect(try await home.run(script, options).output == "\(ENOSYS)\n")
        }
    }

    @Test func sharedMemoryOfOtherProgramsIsNotReached() async throws {
        try await InterceptedHome.use { home in
            let perl = try #require(Product.installed("perl"))
            let key = key_t.random(in: 1...key_t.max)
            let segment = shmget(key, 16, IPC_CREAT | 0o600)
            try #require(segment >= 0)
            defer { shmctl(segment, IPC_RMID, nil) }
            let script = "\(perl) -e 'print defined shmget(\(key), 16, 0) ? \"shared\" : \"none\", \"\\n\"'"
            #expect(try await home.run(script, ["--isolated"]).output == "none\n")
            #expect(try await home.run(script).output == "shared\n")
            // That of POSIX has files. The command has a folder of its own for it.
            let file = "/dev/shm/yett-test-\(key)"
            try #require(close(creat(file, 0o600)) == 0)
            defer { unlink(file) }
            let look = "test -e \(file) && echo shared || { echo own > \(file) && cat \(file); }"
            let others = geteuid() == 0 ? [["--isolated", "--user", "nobody"]] : []
            for options in [["--isolated"]] + others { #expect(try await home.run(look, options).output == "own\n", "\(options)") }
            #expect(try await home.run(look).output == "shared\n")
        }
    }

    /// Root's command can change the machine by other files than Yett's.
    @Test func isolationOfRootNeedsAnotherUser() async throws {
        let world = try CommandWorld()
        func run(_ user: String...) async -> CommandResult {
            await world.run(["exec", "work", "--intercept", "--isolated"] + user + ["--", "true"])
        }
        let refusal = "--isolated protects little from a command of root"
        #expect(await run().errors.contains(refusal) == (geteuid() == 0))
        guard geteuid() == 0 else { return }
        #expect(await run().status == 64)
        for name in ["root", "nobody"] { #expect(await !run("--user", name).errors.contains(refusal)) }
    }

    private static let options: [[String]] = [["--isolated"]] + (geteuid() == 0 ? [["--user", "nobody"]] : [])

    /// The request fails before the system looks at the descriptor, which is no terminal here.
    @Test(arguments: options) func confinedCommandCannotTypeAtTheTerminal(options: [String]) async throws {
        try await InterceptedHome.use { home in
            let perl = try #require(Product.installed("perl"))
            // TIOCSTI, TIOCLINUX, and TIOCGWINSZ, which is allowed.
            let script = """
                for number in 0x5412 0x541C 0x5413; do
                    \(perl) -e 'my $text = "x" x 64; print ioctl(STDIN, hex $ARGV[0], $text) ? 0 : $! + 0, "\\n"' $number </dev/null
                done
                """
            #expect(try await home.run(script, options).output == "\(EPERM)\n\(EPERM)\n\(ENOTTY)\n")
            #expect(try await home.run(script).output == "\(ENOTTY)\n\(ENOTTY)\n\(ENOTTY)\n")
        }
    }

    /// What the command leaves running would keep the terminal.
    @Test(arguments: options) func processesInTheBackgroundEndWithTheCommand(options: [String]) async throws {
        try await InterceptedHome.use { home in
            let folder = try TestFolder()
            chmod(folder.path, 0o755)
            let path = folder.file("pipe")
            try #require(mkfifo(path, 0o600) == 0 && chmod(path, 0o666) == 0)
            let pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(pipe) }
            let run = try await home.run("exec 3>'\(path)'; echo begun >&3; setsid sleep 600 & exit 3", options)
            #expect(run.status == 3, "\(run)")
            var bytes = [UInt8](repeating: 0, count: 16)
            #expect(read(pipe, &bytes, bytes.count) == 6)
            try await eventually("a process still runs") {
                var byte: UInt8 = 0
                return read(pipe, &byte, 1) == 0
            }
        }
    }
}
