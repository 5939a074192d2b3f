import Agent
import AuthModel
import TestSupport
import Glibc
import Localization
import SessionStore
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett seal`, with a peer that has the interface of systemd's credentials service.
struct SealCommandTests {
    /// A folder for the socket.
    private let place: CommandWorld
    private let peer: CredentialsPeer

    init() throws {
        place = try CommandWorld()
        peer = try CredentialsPeer(place.home + "/credentials")
    }

    /// Signs in with a store of that seal.
    private func signedIn(
        _ seal: String, credentials: String? = nil, _ body: (CommandWorld) async throws -> Void
    ) async throws {
        try await withSandbox(
            SignInTests.honest, more: "[store]\nseal = \"\(seal)\" # mine", credentials: credentials ?? peer.socket
        ) { _, world in
            let one = try passphrase("one")
            let result = await world.run("login", with: one)
            try #require(result.status == 0, "\(result.errors)")
            try await body(world)
        }
    }

    /// The environment with a passphrase file.
    private func passphrase(_ text: String) throws -> [String: String] {
        let path = place.home + "/" + text
        try PrivateFile.replace(path, with: Array((text + "\n").utf8))
        return ["YETT_PASSPHRASE_FILE": path]
    }

    private func seal(of world: CommandWorld) async throws -> JSONValue { try await world.run("seal", "--json").json }

    private func hasKeyFile(_ world: CommandWorld) -> Bool { access(world.storeDirectory + "/sessions.key", F_OK) == 0 }

    @Test func showsTheSealAndItsLimits() async throws {
        try await signedIn("key-file") { world in
            let shown = await world.run("seal")
            #expect(shown.status == 0 && shown.errors == "")
            #expect(shown.output.hasPrefix("seal: key-file, a key in a file next to the store\nconfigured: key-file\nprotects from: "))
            #expect(shown.output.contains("does not protect from: anyone who can read your files"))
            let json = try await seal(of: world)
            #expect(json["seal"] == "key-file" && json["configured"] == "key-file" && json["locked"] == false)
            #expect(json["system_key"] == .null)
            #expect(peer.requests == [])
            let terminal = await world.run(["seal"], user: .init(hasTerminal: true, columns: 80))
            #expect(terminal.output.contains("key-file: a key in a file next to the store"))
        }
    }

    @Test func showsThatThereIsNoStore() async throws {
        let world = try CommandWorld()
        #expect(await world.run("seal").output == "no store yet; it will be created in \(world.storeDirectory)\nconfigured: auto\n")
        #expect(await world.run("seal", "system").status == 0)
        #expect(try world.text(world.configurationPath) == "[store]\nseal = \"system\"\n")
        #expect(access(world.storePath, F_OK) != 0)
    }

    @Test(arguments: ["auto", "key-file"])
    func changesToSystemAndKeepsTheSession(seal configured: String) async throws {
        try await signedIn("key-file") { world in
            let text = try world.text(world.configurationPath)
            try world.configure(text.replacing("\"key-file\"", with: "\"\(configured)\""))
            let token = await world.run("token", "sandbox").output
            let result = await world.run("seal", "system", exits: 0)
            #expect(result.errors == "the store's key is now kept by: system\n")
            #expect(result.output.hasPrefix("seal: system, sealed by systemd to this machine, with its TPM and a host key\n"))
            #expect(try world.text(world.configurationPath) == text.replacing("\"key-file\"", with: "\"system\""))
            #expect(!hasKeyFile(world))
            #expect(await world.run("token", "sandbox").output == token)
            #expect(try await seal(of: world)["system_key"] == "host+tpm2")
            await world.run("seal", "key-file", exits: 0)
            #expect(hasKeyFile(world))
            #expect(await world.run("token", "sandbox").output == token)
        }
    }

    /// The activity log has each change, and the program that wanted it; the agent fills in which one that was.
    @Test func changeIsInTheActivityLog() async throws {
        func last(_ world: CommandWorld) async throws -> JSONValue {
            let entries = try #require(try await world.run("activity", "--json").json["activity"]?.array)
            return try #require(entries.first)
        }
        try await signedIn("key-file") { world in
            await world.run("seal", "system", exits: 0)
            let own = try await last(world)
            #expect(own["kind"] == "seal_changed" && own["session"] == .null && own["process"] == .number(getpid()))
            #expect(own["text"] == "the seal was changed from key-file to system")
            try world.configure(try world.text(world.configurationPath).replacing("\"system\"", with: "\"auto\""))
            let service = try await context(world).service(creating: true)
            try await service.unlockIfNoPassphraseNeeded()
            var change = ChangeSeal(.keyFile)
            change.requester = RequestingProcess(program: .verbatim("/opt/other tool"), process: 7)
            _ = try await service.perform(change)
            #expect(try await last(world)["text"] == "the seal was changed from system to key-file, by /opt/other tool (process 7)")
            let shown = await world.run("activity")
            #expect(shown.output.contains("from system to key-file, by other tool (process 7)"), "\(shown.output)\(shown.errors)")
            peer.behave(.error("io.systemd.System"))
            _ = try? await service.perform(ChangeSeal(.system))
            #expect(try await last(world)["text"] == "the seal was changed from system to key-file, by /opt/other tool (process 7)")
        }
    }

    @Test func copiedStoreIsRefusedOnAnotherMachine() async throws {
        try await signedIn("system") { world in
            let there = try CredentialsPeer(place.home + "/there")
            let other = try CommandWorld(credentials: there.socket)
            try other.configure(world.text(world.configurationPath))
            try PrivateFile.makeDirectory(other.storeDirectory, isPrivate: true)
            let bytes = try #require(try PrivateFile.read(world.storePath))
            try PrivateFile.replace(other.storePath, with: bytes)
            for command in [["token", "sandbox"], ["renew"], ["seal", "key-file"]] {
                let result = await other.run(command)
                #expect(result.status == 2 && result.output == "")
                #expect(
                    result.errors.hasPrefix("yett: error: \(other.storePath) is sealed to another machine or user, or it is damaged\n"),
                    "\(result.errors)")
                #expect(result.errors.contains("yett: hint: ") && result.errors.contains("sign in again with: yett login"))
            }
            #expect(try PrivateFile.read(other.storePath) == bytes)
            #expect(await other.run("status").output.contains("sandbox/"))
            let checked = await other.run("doctor")
            #expect(checked.output.contains("fail store         \(other.storePath) is sealed to another machine or user"))
            #expect(await world.run("token", "sandbox").status == 0)
        }
    }

    @Test func asksForANewPassphraseAndLaterForTheOldOne() async throws {
        try await signedIn("key-file") { world in
            let token = await world.run("token", "sandbox").output
            let user = CommandWorld.User(hasTerminal: true, hiddenLines: ["one", "one"])
            await world.run(["seal", "passphrase"], user: user, exits: 0)
            #expect(!hasKeyFile(world))
            let one = try passphrase("one")
            #expect(await world.run("token", "sandbox").status == 2)
            #expect(await world.run("token", "sandbox", with: one).output == token)
            let text = try world.text(world.configurationPath)
            let wrong = await world.run(["seal", "system"], user: .init(hasTerminal: true, hiddenLines: ["two"]))
            #expect(wrong.status == 2 && wrong.errors.contains("passphrase"), "\(wrong.errors)")
            #expect(try world.text(world.configurationPath) == text)
            #expect(peer.requests == [])
            await world.run(["seal", "system"], with: one, exits: 0)
            #expect(await world.run("token", "sandbox").output == token)
        }
    }

    @Test func changesThePassphrase() async throws {
        try await signedIn("passphrase") { world in
            let user = CommandWorld.User(hasTerminal: true, hiddenLines: ["one", "two", "two"])
            let (one, two) = (try passphrase("one"), try passphrase("two"))
            #expect(await world.run(["seal", "passphrase"], user: user).status == 0)
            #expect(await world.run("token", "sandbox", with: one).status == 2)
            #expect(await world.run("token", "sandbox", with: two).status == 0)
            let pipe = await world.run("seal", "passphrase", with: two)
            #expect(pipe.status == 2 && pipe.errors.contains("a new passphrase is needed"))
        }
    }

    @Test func failedChangeLeavesEverythingAsItWas() async throws {
        try await signedIn("key-file") { world in
            peer.behave(.error("io.systemd.System"))
            let text = try world.text(world.configurationPath)
            let result = await world.run("seal", "system", exits: 2)
            #expect(
                result.errors == "yett: error: systemd's credentials service refused: io.systemd.System\n"
                    + "yett: hint: keep the key in another way: yett seal passphrase, or yett seal key-file\n")
            #expect(try world.text(world.configurationPath) == text)
            #expect(await world.run("token", "sandbox").status == 0)
        }
    }

    /// What an interruption leaves: the configuration between the two changes of the file, with the old and with the new store.
    @Test func interruptedChangeLeavesAStoreThatOpens() async throws {
        try await signedIn("key-file") { world in
            let between = try world.text(world.configurationPath).replacing("\"key-file\"", with: "\"auto\"")
            try world.configure(between)
            #expect(await world.run("token", "sandbox").status == 0)
            #expect(await world.run("seal", "system").status == 0)
            try world.configure(between)
            #expect(await world.run("token", "sandbox").status == 0)
            #expect(await world.run("seal", "system").status == 0)
        }
    }

    @Test func newStoreIsSealedToTheMachineAndAnExistingOneStays() async throws {
        try await withSession(SignInTests.honest, credentials: peer.socket) { (_, world) async throws in
            #expect(try await seal(of: world)["seal"] == "system")
            #expect(!hasKeyFile(world))
            let checked = await world.run("doctor").output
            #expect(checked.contains("ok   systemd       can seal a store's key to this machine\n"))
            #expect(checked.contains("ok   seal          system: sealed by systemd to this machine, with its TPM and a host key; does not"))
            #expect(checked.contains(" protect from: programs that run as you; root on this machine; "))
        }
        try await signedIn("key-file") { world in
            let asked = peer.requests.count
            try world.configure(try world.text(world.configurationPath).replacing("\"key-file\"", with: "\"auto\""))
            #expect(await world.run("token", "sandbox").status == 0)
            #expect(await world.run("renew").status == 0)
            #expect(hasKeyFile(world))
            #expect(peer.requests.count == asked)
        }
    }

    @Test func serviceThatDoesNotWorkIsSaidAndAKeyFileIsUsed() async throws {
        peer.behave(.bytes([]))
        try await withSandbox(SignInTests.honest, credentials: peer.socket) { _, world in
            let result = await world.run("login", exits: 0)
            #expect(
                result.errors.contains(
                    "yett: warning: the new store is sealed by a key file: the answer of systemd's credentials service cannot be read\n"))
            #expect(hasKeyFile(world))
        }
    }

    @Test func refusesWhatCannotBeChanged() async throws {
        let world = try CommandWorld.configured("[store]\nseal = \"memory\"\n")
        let memory = await world.run("seal", "system")
        #expect(memory.status == 2 && memory.errors.contains("sessions are kept in memory only"))
        #expect(await world.run("seal").output.hasPrefix("seal: memory, "))
        #expect(await world.run("seal", "memory").status == 64)
        try await signedIn("auto") { world in
            let file = try world.configureSystem("[store]\nseal = \"auto\"\n[policy]\nlocked = [\"store.seal\"]\n")
            let locked = await world.run("seal", "key-file")
            #expect(locked.status == 2 && locked.errors.contains("an administrator locked store.seal: \(file)"), "\(locked.errors)")
            #expect(try await seal(of: world)["seal"] == "system")
        }
    }
}

/// Changes that a caller of the agent, a running agent or a lost reply make different.
extension SealCommandTests {
    private func context(_ world: CommandWorld) -> CommandContext {
        let edges = world.edges(into: StreamRecorder(told: nil))
        return CommandContext(
            edges: edges, options: GlobalOptions(), console: Console(streams: edges.streams, environment: edges.environment))
    }

    private func agent(_ world: CommandWorld) async throws -> AgentSessionService {
        let service = try await context(world).agentSessionService(
            log: ActivityLog(folder: nil), forwarded: ForwardedSessions([]), oidcAgent: OIDCAgentSetting())
        try await service.start()
        return service
    }

    /// The change was made, although the answer says otherwise.
    @Test(arguments: [AuthFailure.Kind.cancelled, .timedOut, .unavailable(retryAfter: nil), .configuration])
    func lostReplyLeavesAConfigurationThatOpensTheStore(kind: AuthFailure.Kind) async throws {
        try await signedIn("key-file") { world in
            let inner = try await context(world).service(creating: true)
            let recorder = StreamRecorder(told: nil)
            var edges = world.edges(into: recorder)
            edges.sessionService = LosingService(inner: inner, failure: AuthFailure(kind, text: "the reply is lost"))
            let result = recorder.result(await Program.run(["seal", "system"], edges: edges))
            #expect(result.status != 0)
            #expect(result.errors.contains("seal stays \"auto\" in [store] of \(world.configurationPath)\n"), "\(result.errors)")
            #expect(try world.text(world.configurationPath).contains("seal = \"auto\" # mine"))
            #expect(await world.run("token", "sandbox").status == 0)
            #expect(try await seal(of: world)["seal"] == "system")
        }
    }

    /// A caller of the engine is bound by the configuration, as the command is.
    @Test func changeThatTheConfigurationDoesNotAllowIsRefused() async throws {
        try await signedIn("key-file") { world in
            let service = try await context(world).service(creating: true)
            try await service.unlockIfNoPassphraseNeeded()
            let text = try world.text(world.configurationPath)
            let refused = await #expect(throws: AuthFailure.self) { _ = try await service.perform(ChangeSeal(.system)) }
            #expect(refused?.kind == .configuration && refused?.hint?.english == "change both with: yett seal system")
            try world.configure(text.replacing("\"key-file\"", with: "\"auto\""))
            try world.configureSystem("[store]\nseal = \"auto\"\n[policy]\nlocked = [\"store.seal\"]\n")
            let locked = await #expect(throws: AuthFailure.self) { _ = try await service.perform(ChangeSeal(.system)) }
            #expect(locked?.message.english.hasPrefix("an administrator locked store.seal: ") == true)
            #expect(try await service.perform(ReadSeal()).seal == .keyFile)
            #expect(peer.requests == [])
            try world.configureSystem("[store]\nseal = \"auto\"\n")
            #expect(try await service.perform(ChangeSeal(.system)).seal == .system)
        }
    }

    /// A change that was killed before its last step leaves the old key, which the next change deletes.
    @Test func everySealHasTheOtherKeysDeleted() throws {
        let world = try CommandWorld()
        let expected: [(Seal, [Seal])] = [
            (.passphrase, [.keyFile, .secretService]), (.system, [.keyFile, .secretService]), (.keyFile, [.secretService]),
            (.securityKey, [.keyFile, .secretService]),
            (.secretService, [.keyFile]),
        ]
        for (seal, others) in expected {
            #expect(context(world).keyChoice(seal, in: world.storeDirectory)?.others.map { $0.seal } == others)
        }
        #expect(context(world).keyChoice(.memory, in: world.storeDirectory) == nil)
    }

    @Test func removedStoreIsFollowedByOneThatIsSealedAsANewOne() async throws {
        try await signedIn("key-file") { world in
            try world.configure(world.text(world.configurationPath).replacing("\"key-file\"", with: "\"auto\""))
            let service = try await agent(world)
            #expect(try await service.perform(ReadSeal()).seal == .keyFile)
            try #require(unlink(world.storePath) == 0)
            // Any request makes the agent look at its files again.
            _ = try? await service.sessions()
            #expect(try await service.perform(ReadSeal()).seal == .system)
            await service.end()
        }
    }

    @Test func runningAgentCreatesTheStoreWithTheSealThatWasChosenMeanwhile() async throws {
        let world = try CommandWorld.configured("[store]\nseal = \"passphrase\"\n")
        let service = try await agent(world)
        #expect(try await service.storeState() == .locked(isNew: true))
        #expect(await world.run("seal", "key-file").status == 0)
        #expect(try await service.perform(ReadSeal()).seal == .keyFile)
        #expect(try await service.storeState() == .unlocked)
        await service.end()
    }
}

/// Carries a change of the seal out, and fails instead of answering.
private struct LosingService: SessionService {
    let inner: any SessionService
    let failure: AuthFailure

    func perform<Operation: SessionOperation>(_ operation: Operation) async throws(AuthFailure) -> Operation.Reply {
        let reply = try await inner.perform(operation)
        if operation is ChangeSeal { throw failure }
        return reply
    }

    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt { try await inner.signIn(request) }
    func events(_ selection: SessionServiceEvent.Selection) async -> AsyncStream<SessionServiceEvent> { await inner.events(selection) }
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure) { try await inner.unlockIfNoPassphraseNeeded() }
    func deliverRevocations() async -> Timestamp? { await inner.deliverRevocations() }
    func shutDown() async { await inner.shutDown() }
}
