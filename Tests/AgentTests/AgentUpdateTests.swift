@testable import Agent
import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// An agent whose program file is replaced, as by an update of the package.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct AgentUpdateTests {
    private let home: TemporaryHome
    private let place: AgentLocation

    init() throws {
        home = try TemporaryHome()
        place = AgentLocation(environment: home.environment)
        try home.configure("[store]\nseal = \"key-file\"\n")
    }

    private var client: AgentClient { AgentClient(location: place, home: home.agentHome) }

    /// Puts a copy of the program at the path, as a package manager does.
    private func update(_ path: String) throws {
        let new = try home.install(Product.program("yett-main"), as: "new")
        try #require(rename(new, path) == 0)
    }

    /// The path of the program that a process runs.
    private static func program(of process: Int32) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &path, path.count)
        return String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    @Test func continuesWithTheUpdatedProgram() async throws {
        let program = try home.install(Product.program("yett-main"), as: "yett-main")
        let listener = try ReadyListener(in: home)
        let agent = try Program(
            program, ["agent", "run"], environment: home.environment(with: ["NOTIFY_SOCKET": listener.path]), folder: home.path
        ).start()
        try await listener.wait()
        let process = try #require(try await client.status()).facts.process
        var socket = stat()
        try #require(stat(place.socket, &socket) == 0)

        try update(program)
        #expect(Self.program(of: process) == program + " (deleted)")
        // Every request is answered meanwhile, by one program or the other.
        try await eventually("the agent does not continue with the updated program") {
            let answering = try await client.status()?.facts.process
            #expect(answering == process)
            return Self.program(of: process) == program
        }
        #expect(try await client.status()?.facts.process == process)
        #expect(try await client.storeState() == .unlocked)
        var later = stat()
        #expect(stat(place.socket, &later) == 0 && later.st_ino == socket.st_ino)
        let second = try await home.yett("agent", "run")
        #expect(second.errors.contains("already"), "\(second.errors)")

        // Another update of the updated program.
        try update(program)
        try await eventually("the agent is not updated twice") { Self.program(of: process) == program }
        #expect(try await client.stop())
        #expect(await agent.finish().status == 0)
        #expect(access(place.socket, F_OK) != 0)
    }

    // MARK: The idle moment

    /// Returns whether an agent can be replaced in a state that `prepare` makes.
    private func canBeReplaced(
        _ reopening: StoreReopening = .automatic,
        prepare: (AgentSessionService, ScriptedSessionService) async throws -> Void = { _, _ in }
    ) async throws -> Bool {
        let inner = ScriptedSessionService()
        let service = AgentSessionService(
            source: SessionServiceSource(revision: { [1] }, make: { inner }), log: ActivityLog(folder: nil), time: ManualTime(),
            reopening: { reopening }, seed: 1)
        try await service.start()
        try await prepare(service, inner)
        let result = await service.canBeReplaced()
        await service.end()
        return result
    }

    @Test func isReplacedWhileNothingIsInProgress() async throws {
        #expect(try await canBeReplaced())
    }

    @Test func isNotReplacedDuringASignIn() async throws {
        // Releasing the attempt would cancel it.
        var attempt: SignInAttempt?
        let result = try await canBeReplaced { service, _ in
            attempt = try await service.signIn(SignInRequest(provider: Sample.name.provider))
        }
        #expect(!result)
        withExtendedLifetime(attempt) {}
    }

    @Test func isNotReplacedWhileAnAppListens() async throws {
        var events: AsyncStream<SessionServiceEvent>?
        let result = try await canBeReplaced { service, _ in events = await service.events() }
        #expect(!result)
        withExtendedLifetime(events) {}
    }

    /// The passphrase would be needed again.
    @Test(arguments: [true, false])
    func isNotReplacedWithAPassphraseInMemory(isLocked: Bool) async throws {
        let result = try await canBeReplaced(.passphrase) { _, inner in
            if isLocked { await inner.change { $0.sealAnswer = .locked(isNew: false) } }
        }
        #expect(result == isLocked)
    }

    /// A new agent would open the store that the user locked.
    @Test func isNotReplacedAfterTheUserLockedAStoreThatOpensByItself() async throws {
        let result = try await canBeReplaced { service, _ in try await service.lock() }
        #expect(!result)
    }

    @Test func isNotReplacedWithAStoreInMemory() async throws {
        #expect(try await !canBeReplaced(.impossible))
    }

    @Test func isNotReplacedWithSessionsThatEndWithIt() async throws {
        let result = try await canBeReplaced { _, inner in await inner.change { $0.provider.endsWithProcess = true } }
        #expect(!result)
    }

    // MARK: What is passed on

    @Test func handoverNamesTheSocketAndTheLock() throws {
        let lock = try AgentLock.acquire(place)
        let handover = try #require(lock.handOver())
        let variables = [AgentHandover.variable: handover.text]
        #expect(AgentHandover(environment: variables, location: place) == handover)
        #expect(handover.ownsSocket)
        // Another agent has other descriptors, or none.
        #expect(AgentHandover(environment: variables, location: place, process: getpid() + 1) == nil)
        #expect(AgentHandover(environment: variables, location: AgentLocation(environment: ["XDG_RUNTIME_DIR": "/nowhere"])) == nil)
        for text in ["", "1 2 3", "\(getpid()) 0 1 1", "\(getpid()) -1 -1 1", handover.text + " 1"] {
            #expect(AgentHandover(environment: [AgentHandover.variable: text], location: place) == nil, "\(text)")
        }
        #expect(throws: AuthFailure.self) { try AgentLock.acquire(place) }
        // No program has replaced this process: the lock ends in spite of its copy.
        lock.removeSocket()
        lock.release()
        let next = try AgentLock.acquire(place)
        next.removeSocket()
        next.release()
        close(handover.listener)
        close(handover.lockFile)
    }

    @Test func programThatOthersCanChangeIsNotFollowed() throws {
        let path = try home.write("#!/bin/sh\n", to: "program", permissions: 0o755)
        let program = try #require(AgentProgram(path: path, arguments: []))
        #expect(program.replacement == nil)
        try home.write("#!/bin/sh\nexit\n", to: "program", permissions: 0o777)
        #expect(program.replacement == nil)
        chmod(path, 0o644)
        #expect(program.replacement == nil)
        chmod(path, 0o755)
        #expect(program.replacement != nil)
        unlink(path)
        #expect(program.replacement == nil)
    }
}
