@testable import Agent
import AuthEngine
import AuthModel
import Glibc
import LocalServer
import ProcessHarness
import OperatingSystem
import TestSupport
import Testing

/// The agent's socket and lock: location, permissions and ownership.
@Suite(.startsPrograms, .serialized)
struct AgentLockTests {
    private let home: TemporaryHome
    private let place: AgentLocation

    init() throws {
        home = try TemporaryHome()
        place = AgentLocation(environment: home.environment)
    }

    private func mode(_ path: String) -> mode_t? {
        var found = stat()
        return lstat(path, &found) == 0 ? found.st_mode & 0o777 : nil
    }

    @Test func socketIsInTheRuntimeFolder() {
        #expect(place.socket == home.path + "/run/yett/agent.sock")
        #expect(AgentLocation(environment: ["XDG_RUNTIME_DIR": "/run/user/7//"]).socket == "/run/user/7/yett/agent.sock")
    }

    @Test(arguments: ["", "run/user/7"])
    func socketHasItsOwnFolderWithoutARuntimeFolder(variable: String) {
        #expect(AgentLocation(environment: ["XDG_RUNTIME_DIR": variable]).socket == "/tmp/yett-\(geteuid())/agent.sock")
    }

    // The umask applies to the whole process, so these are masks that harm no other test.
    @Test(arguments: [0, 0o022, 0o077] as [mode_t])
    func socketIsPrivateWithAnyUmask(mask: mode_t) throws {
        let agentLock = try FileModeMask.with(mask) { try AgentLock.acquire(place) }
        #expect(mode(place.folder) == 0o700)
        #expect(mode(place.socket) == 0o600)
        agentLock.removeSocket()
        agentLock.release()
        #expect(mode(place.socket) == nil)
    }

    /// A program that another thread starts has copies of all descriptors for a moment, and must not keep the lock.
    @Test func lockEndsWhileAProgramIsStarted() throws {
        let first = try AgentLock.acquire(place)
        let copies = DescriptorCopies(of: place.lock)
        #expect(copies.count == 1)
        first.removeSocket()
        first.release()
        let second = try AgentLock.acquire(place)
        second.removeSocket()
        second.release()
        withExtendedLifetime(copies) {}
    }

    @Test(arguments: ["run", "run/yett"], [0o777, 0o750, 0o701] as [mode_t])
    func refusesAFolderWithLoosePermissions(folder: String, mode: mode_t) throws {
        try place.prepare()
        chmod(home.path + "/" + folder, mode)
        #expect(throws: AuthFailure.self) { try AgentLock.acquire(place) }
        #expect(throws: AuthFailure.self) { try place.check() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"), arguments: ["run", "run/yett"])
    func refusesAFolderOfAnotherOwner(folder: String) throws {
        try place.prepare()
        chown(home.path + "/" + folder, 65_534, 65_534)
        #expect(throws: AuthFailure.self) { try AgentLock.acquire(place) }
        #expect(throws: AuthFailure.self) { try place.check() }
    }

    @Test func refusesALinkAsTheFolder() throws {
        mkdir(home.path + "/other", 0o700)
        symlink(home.path + "/other", place.folder)
        #expect(throws: AuthFailure.self) { try AgentLock.acquire(place) }
    }

    @Test(arguments: ["agent.sock", "agent.lock"])
    func refusesALinkAsAFileAndKeepsItsTarget(name: String) throws {
        try place.prepare()
        try home.write("precious", to: "elsewhere")
        symlink(home.path + "/elsewhere", place.folder + "/" + name)
        #expect(throws: AuthFailure.self) { try AgentLock.acquire(place) }
        #expect(home.read("elsewhere") == Array("precious".utf8))
    }

    @Test func refusesAFileAsTheSocket() throws {
        try place.prepare()
        try home.write("precious", to: "run/yett/agent.sock")
        #expect(throws: AuthFailure.self) { try AgentLock.acquire(place) }
        #expect(home.read("run/yett/agent.sock") == Array("precious".utf8))
    }

    @Test func refusesAPathThatIsTooLong() {
        let long = AgentLocation(environment: ["XDG_RUNTIME_DIR": home.path + "/" + String(repeating: "x", count: 100)])
        #expect(throws: AuthFailure.self) { try AgentLock.acquire(long) }
    }

    @Test func secondAgentIsRefusedAndTheFirstKeepsServing() async throws {
        try await AgentFixture.run(ScriptedSessionService()) { world in
            #expect { try AgentLock.acquire(world.place) } throws: { ($0 as? AuthFailure).map(AgentLock.isAlreadyRunning) ?? false }
            let sessions = try await world.client.sessions()
            #expect(sessions == [Sample.session])
        }
    }

    @Test func staleSocketIsReplaced() throws {
        let agentLock = try AgentLock.acquire(place)
        // The state after a kill: the lock is released, and the socket remains.
        agentLock.release()
        #expect(mode(place.socket) != nil)
        #expect(!place.isServed())
        let next = try AgentLock.acquire(place)
        #expect(place.isServed())
        next.removeSocket()
        next.release()
    }

    /// systemd does this after a command started an agent first.
    @Test func replacedSocketIsNotItsOwn() throws {
        let agentLock = try AgentLock.acquire(place)
        #expect(agentLock.isReachable())
        unlink(place.socket)
        let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(other) }
        let address = try #require(UnixSocketAddress(place.socket))
        try #require(address.withPointer { bind(other, $0, $1) } == 0)
        #expect(!agentLock.isReachable())
        agentLock.removeSocket()
        #expect(mode(place.socket) != nil)
        agentLock.release()
    }

    @Test(arguments: [true, false])
    func waitsForAnAgentThatShutsDown(isInherited: Bool) async throws {
        let first = try AgentLock.acquire(place)
        let inherited = isInherited ? fcntl(first.listener, F_DUPFD_CLOEXEC, 3) : nil
        if !isInherited { first.removeSocket() }
        let place = place
        let second = Task { try await AgentLock.acquireWhenFree(place, inherited: inherited, time: SystemTimeSource()) }
        await Task.yield()
        first.release()
        let agentLock = try await second.value
        #expect(place.isServed())
        agentLock.removeSocket()
        agentLock.release()
    }

    @Test func concurrentStartsTakeOneLock() async throws {
        let place = place
        let agentLocks = await withTaskGroup(of: AgentLock?.self) { group -> [AgentLock] in
            for _ in 0..<32 { group.addTask { await DetachedThread.run(stackSize: 256 << 10) { try? AgentLock.acquire(place) } } }
            var agentLocks: [AgentLock] = []
            for await agentLock in group { if let agentLock { agentLocks.append(agentLock) } }
            return agentLocks
        }
        #expect(agentLocks.count == 1)
        #expect(place.isServed())
        for agentLock in agentLocks { agentLock.release() }
    }
}

/// Socket activation by systemd, and notifications to it.
struct SystemdTests {
    @Test(arguments: [
        [:], ["LISTEN_FDS": "1"], ["LISTEN_FDS": "1", "LISTEN_PID": "1"], ["LISTEN_FDS": "0", "LISTEN_PID": "77"],
        ["LISTEN_FDS": "x", "LISTEN_PID": "77"],
    ])
    func ignoresSocketsOfOtherProcesses(environment: [String: String]) throws {
        #expect(try SocketActivation.socket(environment: environment, process: 77) == nil)
    }

    @Test func refusesTooManySockets() {
        #expect(throws: AuthFailure.self) {
            try SocketActivation.socket(environment: ["LISTEN_FDS": "1000", "LISTEN_PID": "77", "LISTEN_FDNAMES": "agent"], process: 77)
        }
    }

    @Test(arguments: [("60000000", "77", 30.0), ("60000000", "78", nil), ("0", "77", nil), ("x", "77", nil)])
    func readsTheWatchdogPeriod(period: String, process: String, seconds: Double?) {
        let notifier = ServiceNotifier(
            environment: ["NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": period, "WATCHDOG_PID": process], process: 77)
        #expect(notifier.watchdog == seconds.map { Duration.seconds($0) })
    }

    /// Returns a service notifier and the socket of its manager.
    private func managed() throws -> (notifier: ServiceNotifier, socket: Int32) {
        // An abstract socket name leaves no file behind.
        let path = "@yett-notify-\(UInt64.random(in: 0...UInt64.max))"
        let address = try #require(UnixSocketAddress(path))
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(address.withPointer { bind(descriptor, $0, $1) } == 0)
        return (ServiceNotifier(environment: ["NOTIFY_SOCKET": path]), descriptor)
    }

    /// Returns the next message in the manager's socket; nil if there is none.
    private func message(in socket: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    @Test func notifiesSystemd() async throws {
        let (notifier, socket) = try managed()
        defer { close(socket) }
        notifier.ready()
        notifier.status("Locked, 1 session")
        notifier.isAlive()
        notifier.stopping()
        #expect(message(in: socket) == "READY=1\nMAINPID=\(getpid())")
        #expect(message(in: socket) == "STATUS=Locked, 1 session")
        #expect(message(in: socket) == "WATCHDOG=1")
        #expect(message(in: socket) == "STOPPING=1\nSTATUS=Stopping")
    }

    @Test(
        arguments: [
            (true, [], "Locked, no session"), (false, [.signedIn], "Unlocked, 1 session"),
            (false, [.signedIn, .needsSignIn, .error], "Unlocked, 3 sessions, 2 ended"),
        ] as [(Bool, [SessionState], String)])
    func statusTextNamesLockAndSessions(isLocked: Bool, states: [SessionState], text: String) {
        let sessions = states.map { state in
            var session = Sample.session
            session.recordedState = state
            return session
        }
        #expect(ServiceStatus(isLocked: isLocked, sessions: sessions, at: Sample.session.receivedAt).text == text)
    }

    /// A manager that hangs does not block the agent.
    @Test func statusDoesNotBlock() throws {
        let (notifier, socket) = try managed()
        defer { close(socket) }
        for _ in 0..<5_000 { notifier.status("Unlocked, no session") }
        // Messages that did not fit were dropped; once the manager reads again, new messages arrive.
        var count = 0
        while message(in: socket) == "STATUS=Unlocked, no session" { count += 1 }
        #expect((1..<5_000).contains(count))
        notifier.isAlive()
        #expect(message(in: socket) == "WATCHDOG=1")
    }

    @Test func unitFilesQuoteTheProgram() {
        #expect(UnitFiles.service(program: "/opt/a b/yett-main").contains("ExecStart=\"/opt/a b/yett-main\" agent run\n"))
        #expect(UnitFiles.service(program: "/opt/50%$HOME/yett-main").contains("ExecStart=/opt/50%%$HOME/yett-main agent run\n"))
        #expect(UnitFiles.service(program: "/it's\n\\y").contains("ExecStart=\"/it's\\x0a\\\\y\" agent run\n"))
        #expect(UnitFiles.socket.contains("ListenStream=%t/yett/agent.sock\n"))
    }

    /// What the agent needs: its notification socket, and the sockets of name resolution (netlink), providers, and D-Bus.
    @Test func serviceIsRestricted() {
        let lines = Set(UnitFiles.service(program: "/p").split(separator: "\n"))
        #expect(
            lines.isSuperset(of: [
                "Type=notify", "LimitCORE=0", "UMask=0077", "NoNewPrivileges=yes", "LockPersonality=yes", "RestrictNamespaces=yes",
                "RestrictRealtime=yes", "RestrictSUIDSGID=yes", "SystemCallArchitectures=native", "SystemCallFilter=@system-service",
                "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
            ]))
    }

    /// These keep a user unit from starting, or hide the programs that use tokens; see ``UnitFiles``.
    @Test(arguments: [
        "Private", "Protect", "CapabilityBoundingSet", "ReadWritePaths", "MemoryDenyWriteExecute", "KeyringMode", "IPAddress",
    ])
    func serviceHasNoRestrictionThatUserUnitsCannotHave(option: String) {
        #expect(!UnitFiles.service(program: "/p").split(separator: "\n").contains { $0.hasPrefix(option) })
    }

    @Test func agentReceivesOnlyAllowedVariables() {
        let agentVariables = AgentStarter.agentVariables([
            "HOME": "/h", "LD_PRELOAD": "/evil.so", "AWS_SECRET_ACCESS_KEY": "s", "XDG_DATA_HOME": "/d", "LC_ALL": "C", "HTTPS_PROXY": "p",
            "YETT_PASSPHRASE_FILE": "/f", "BASH_ENV": "/b", "LISTEN_FDS": "1", "NOTIFY_SOCKET": "/n",
        ])
        #expect(
            Set(agentVariables.keys) == ["HOME", "XDG_DATA_HOME", "LC_ALL", "HTTPS_PROXY", "YETT_READY_FD", "SWIFT_BACKTRACE"])
    }

    /// In a command of `yett exec --intercept`: the agent lives longer than the proxy and the certificates of the command.
    @Test func agentReceivesTheVariablesFromBeforeTheCommand() {
        let agentVariables = AgentStarter.agentVariables([
            "HOME": "/h", "HTTPS_PROXY": "http://yett:secret@127.0.0.1:1", "https_proxy": "http://yett:secret@127.0.0.1:1",
            "SSL_CERT_FILE": "/run/intercept.pem", "NO_PROXY": "", "YETT_REPLACED_HTTPS_PROXY": "http://proxy.example:3128",
            "YETT_REPLACED_https_proxy": "", "YETT_REPLACED_SSL_CERT_FILE": "", "YETT_REPLACED_NO_PROXY": "intern.example",
            "YETT_REPLACED_LD_PRELOAD": "/evil.so",
        ])
        #expect(
            agentVariables == [
                "HOME": "/h", "HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": "intern.example", "YETT_READY_FD": "3",
                "SWIFT_BACKTRACE": "enable=no",
            ])
    }
}
