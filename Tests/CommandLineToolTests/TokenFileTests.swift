import AuthModel
import Glibc
import ProcessHarness
import Synchronization
import TestSupport
import Testing

@testable import CommandLineTool

/// The list of token files, and the updater that fills them.
struct TokenFileTests {
    private let home: TemporaryHome
    private let list: TokenFileList
    private let time = ManualTime()
    private let source: Source
    private let updater: TokenFileUpdater

    init() throws {
        home = try TemporaryHome()
        list = TokenFileList(folder: home.path + "/state")
        source = Source(time)
        updater = TokenFileUpdater(list, source: source, time: time)
    }

    /// A source whose tokens are numbered.
    private final class Source: TokenFileSource {
        struct State {
            var requests: [TokenRequest] = []
            var isLocked = false
            var failure: AuthFailure?
            var number = 1
            var life = Duration.seconds(3600)
            var isKept = false
            /// What happens while a token is requested.
            var meanwhile: (@Sendable () -> Void)?
        }

        let state = Mutex(State())
        let time: ManualTime

        init(_ time: ManualTime) { self.time = time }

        func freshToken(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
            let (number, life, failure) = state.withLock { state in
                state.requests.append(request)
                return (state.number, state.life, state.failure)
            }
            state.withLock(\.meanwhile)?()
            if let failure { throw failure }
            return IssuedToken(
                token: Secret("token \(number)"), tokenType: "Bearer", expiresAt: time.now + life, scopes: ScopeSet([]),
                session: request.session)
        }

        func isLocked() async -> Bool { state.withLock(\.isLocked) }
        func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
        func keepRunning(_ isNeeded: Bool) { state.withLock { $0.isKept = isNeeded } }
    }

    private func file(_ name: String, _ session: String = "work/ada") throws -> TokenFile {
        TokenFile(path: "\(home.path)/\(name)", session: try #require(SessionName(session)))
    }

    private func text(_ file: TokenFile) -> String? {
        home.read(String(file.path.dropFirst(home.path.count + 1))).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func listKeepsItsOrderAndItsEntries() throws {
        #expect(try list.read() == [])
        let (first, second) = (
            try file("a"),
            TokenFile(
                path: home.path + "/b", session: try #require(SessionName("git")), wanted: .id,
                restrictions: TokenRestrictions(scopes: ScopeSet(["read"]), audience: "https://api.example.org"))
        )
        try list.add(first)
        try list.add(second)
        try list.add(first)
        #expect(try list.read() == [second, first])
        #expect(try list.end(first.path))
        #expect(try !list.end(first.path))
        #expect(try list.read() == [second])
    }

    @Test func otherFilesAndFoldersAreRefused() throws {
        _ = try home.write("mine", to: "taken")
        #expect(throws: AuthFailure.self) { try list.add(try file("taken")) }
        #expect(symlink("/etc/hostname", home.path + "/link") == 0)
        #expect(throws: AuthFailure.self) { try list.add(try file("link")) }
        #expect(throws: AuthFailure.self) { try list.add(try file("missing/a")) }
        #expect(mkdir(home.path + "/open", 0o700) == 0 && chmod(home.path + "/open", 0o777) == 0)
        #expect(throws: AuthFailure.self) { try list.add(try file("open/a")) }
        #expect(try list.read() == [])
        _ = try home.write("[]", to: "state/token-files.json")
        #expect(throws: AuthFailure.self) { try list.read() }
    }

    @Test func fileIsReplacedBeforeItsTokenExpires() async throws {
        #expect(await updater.refresh() == nil)
        #expect(!source.state.withLock { $0.isKept })
        let file = try file("a")
        try list.add(file)
        #expect(await updater.refresh() == .seconds(3300))
        #expect(text(file) == "token 1")
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(source.state.withLock { $0.isKept })
        source.state.withLock { $0.number = 2 }
        _ = await updater.refresh()
        #expect(text(file) == "token 2")
        #expect(source.state.withLock { $0.requests.last?.minimumValidity } == .seconds(300))
        #expect(source.state.withLock { $0.requests.last?.asking } == .noPrompt)
    }

    @Test func shortTokensAreReplacedInTheirLastThird() async throws {
        source.state.withLock { $0.life = .seconds(120) }
        try list.add(try file("a"))
        #expect(await updater.refresh() == .seconds(80))
    }

    @Test func removedFileIsWrittenAgain() async throws {
        let file = try file("a")
        try list.add(file)
        _ = await updater.refresh()
        unlink(file.path)
        _ = await updater.refresh()
        #expect(text(file) == "token 1")
    }

    @Test func noFileWithoutAToken() async throws {
        let file = try file("a")
        try list.add(file)
        _ = await updater.refresh()
        source.state.withLock { $0.isLocked = true }
        #expect(await updater.refresh() == nil)
        #expect(text(file) == nil)
        source.state.withLock { $0.isLocked = false }
        _ = await updater.refresh()
        #expect(text(file) == "token 1")
        source.state.withLock { $0.failure = AuthFailure(.signInAgain, text: "the session has ended") }
        #expect(await updater.refresh() == nil)
        #expect(text(file) == nil)
        #expect(try list.read() == [file], "the next sign-in fills it again")
    }

    /// Whether the agent would write or remove the file, what is at the path of an ended file is not its own.
    @Test(arguments: [false, true])
    func fileThatIsEndedDuringARequestStaysAsItIs(isSignedOut: Bool) async throws {
        let file = try file("a")
        try list.add(file)
        let (list, home) = (list, home)
        source.state.withLock { state in
            if isSignedOut { state.failure = AuthFailure(.notSignedIn, text: "not signed in") }
            state.meanwhile = {
                #expect((try? list.end(file.path)) == true)
                if isSignedOut { #expect(throws: Never.self) { try home.write("mine", to: "a") } }
            }
        }
        #expect(await updater.refresh() == nil)
        #expect(text(file) == (isSignedOut ? "mine" : nil))
    }

    @Test func providerThatDoesNotAnswerLeavesTheFile() async throws {
        let file = try file("a")
        try list.add(file)
        _ = await updater.refresh()
        source.state.withLock { $0.failure = AuthFailure(.unavailable(retryAfter: nil), text: "no answer") }
        #expect(await updater.refresh() == .seconds(30))
        #expect(text(file) == "token 1")
    }

    /// What a process without an agent does after each change of the sessions.
    @Test func tokensOfOtherSessionsStay() throws {
        func summary(_ name: String, _ state: SessionState) throws -> SessionSummary {
            let now = time.now
            return SessionSummary(
                name: try #require(SessionName(name)), issuer: nil, subject: name, recordedState: state, accessExpiresAt: now,
                refreshExpiresAt: nil, isRenewable: true, scopes: ScopeSet([]), grantedAt: now, receivedAt: now)
        }
        let sessions = [try summary("work/ada", .signedIn), try summary("work/bob", .needsSignIn), try summary("work/eve", .revoked)]
        let files = try ["work/ada", "work/bob", "work/eve", "work/gone"].map { try file(String($0.dropFirst(5)), $0) }
        for file in files {
            try list.add(file)
            #expect(try list.write(Secret("token"), to: file))
        }
        try list.empty(exceptOf: sessions)
        #expect(files.map { text($0) != nil } == [true, false, false, false])
        try list.empty()
        #expect(text(files[0]) == nil)
        #expect(try list.read() == files)
    }
}
