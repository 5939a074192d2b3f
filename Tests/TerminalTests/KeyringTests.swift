import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// The built program with a desktop keyring: gnome-keyring on its own D-Bus session bus.
@Suite(.startsPrograms, .serialized, .enabled(if: Keyring.obstacle == nil, Comment(rawValue: Keyring.obstacle ?? "")))
struct KeyringTests {
    private let home: TemporaryHome
    private let keyring: Keyring

    init() async throws {
        home = try TemporaryHome()
        keyring = try await Keyring(in: home)
    }

    private var variables: [String: String?] {
        keyring.variables.merging(["BROWSER": Browser.following, "YETT_NO_AGENT": "1"]) { first, _ in first }
    }

    private var store: String { home.path + "/data/yett/sessions.db" }

    private func yett(_ arguments: String...) async throws -> ProgramResult {
        try await home.program("yett-main", arguments, with: variables).run()
    }

    private func seal(_ seal: String) throws { try home.configure("[store]\nseal = \"\(seal)\"\n") }

    /// Signs in at the sandbox, with the store sealed by `seal`.
    private func signIn(seal: String) async throws -> SandboxProvider {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        try home.configure("[store]\nseal = \"\(seal)\"\n[providers.sandbox]\n\(sandbox.settings)\n")
        let result = try await yett("login", "sandbox")
        try #require(result.status == 0, "\(result)")
        return sandbox
    }

    /// Expects exit status 2, no output, and two lines: the error and the hint.
    private func expectRefusal(_ result: ProgramResult, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(result.status == 2, sourceLocation: sourceLocation)
        #expect(result.output == "", sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("yett: error: \(words)\nyett: hint: "), "\(result)", sourceLocation: sourceLocation)
    }

    @Test(arguments: ["secret-service", "auto"])
    func storesTheKeyOfANewStoreInTheKeyring(seal: String) async throws {
        let sandbox = try await signIn(seal: seal)
        #expect(try await keyring.items().count == 1)
        #expect(!exists(home.path + "/data/yett/sessions.key"))
        #expect(try await yett("status").output.contains("sandbox/ada"))
        let token = try await yett("token", "sandbox")
        #expect(token.status == 0)
        #expect(token.output.count > 20)
        // The store records how it is sealed, and `auto` follows it.
        try home.configure("[store]\nseal = \"auto\"\n[providers.sandbox]\n\(sandbox.settings)\n")
        #expect(try await yett("token", "sandbox").output == token.output)
    }

    @Test func reportsALockedKeyringWithoutAPrompt() async throws {
        let sandbox = try await signIn(seal: "secret-service")
        try await keyring.lock()
        let before = home.read("data/yett/sessions.db")
        // A timeout would report a different error.
        expectRefusal(try await yett("token", "sandbox"), "the keyring is locked")
        // `status` needs no key.
        #expect(try await yett("status").output.contains("sandbox/ada"))
        #expect(home.read("data/yett/sessions.db") == before)
        #expect(!exists(home.path + "/data/yett/sessions.key"))
        withExtendedLifetime(sandbox) {}
    }

    @Test func reportsAKeyringThatWasNeverUnlocked() async throws {
        let sandbox = try await signIn(seal: "secret-service")
        try await keyring.startDaemon()
        expectRefusal(try await yett("token", "sandbox"), "the keyring is locked")
        try await keyring.startDaemon(password: "a password of a person")
        #expect(try await yett("token", "sandbox").status == 0)
        withExtendedLifetime(sandbox) {}
    }

    @Test func reportsAMissingKeyAndChangesNothing() async throws {
        let sandbox = try await signIn(seal: "auto")
        try await keyring.removeItems()
        let before = home.read("data/yett/sessions.db")
        for command in [["token", "sandbox"], ["login", "sandbox", "--prompt", "consent"], ["renew", "sandbox"]] {
            let result = try await home.program("yett-main", command, with: variables).run()
            expectRefusal(result, "the keyring has no key for \(store)")
        }
        #expect(home.read("data/yett/sessions.db") == before)
        #expect(try await keyring.items() == [])
        #expect(!exists(home.path + "/data/yett/sessions.key"))
        withExtendedLifetime(sandbox) {}
    }

    /// Another machine has a keyring of its own.
    @Test func copiedStoreIsRefusedWithAnotherKeyring() async throws {
        let sandbox = try await signIn(seal: "secret-service")
        let other = try TemporaryHome()
        let theirs = try await Keyring(in: other)
        let variables = theirs.variables.merging(["BROWSER": Browser.following, "YETT_NO_AGENT": "1"]) { first, _ in first }
        func there(_ arguments: String...) async throws -> ProgramResult {
            try await other.program("yett-main", arguments, with: variables).run()
        }
        // The keyring there has the key of another store.
        try other.configure("[store]\nseal = \"secret-service\"\n[providers.sandbox]\n\(sandbox.settings)\n")
        try #require(try await there("login", "sandbox").status == 0)
        let copied = try #require(home.read("data/yett/sessions.db"))
        let path = other.path + "/data/yett/sessions.db"
        let file = try #require(fopen(path, "w"))
        _ = copied.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
        expectRefusal(try await there("token", "sandbox"), "the keyring has no key for \(path)")
        #expect(other.read("data/yett/sessions.db") == copied)
        #expect(try await theirs.items().count == 1)
        #expect(try await yett("token", "sandbox").status == 0)
    }

    @Test func eachStoreHasItsOwnKey() async throws {
        let sandbox = try await signIn(seal: "secret-service")
        let first = try #require(home.read("data/yett/sessions.db"))
        for name in ["sessions.db", "sessions.lock"] { unlink(home.path + "/data/yett/" + name) }
        #expect(try await yett("login", "sandbox").status == 0)
        #expect(try await keyring.items().count == 2)
        // Restores the first store; its own key is still in the keyring.
        let file = try #require(fopen(store, "w"))
        _ = first.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
        #expect(try await yett("token", "sandbox").status == 0)
        withExtendedLifetime(sandbox) {}
    }

    @Test func createsNoStoreWhenTheKeyringCannotHoldItsKey() async throws {
        try seal("secret-service")
        try await keyring.lock()
        expectRefusal(try await yett("token", "work"), "the keyring is locked")
        await keyring.stopDaemon()
        expectRefusal(try await yett("token", "work"), "no program on the session bus stores secrets")
        await keyring.endBus()
        let result = try await yett("token", "work")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("yett: error: the keyring failed: "))
        expectRefusal(
            try await home.yett("token", "work", with: ["YETT_NO_AGENT": "1"]), "cannot connect to the keyring: there is no session bus")
        #expect(!exists(store))
    }

    @Test func fallsBackToAKeyFileWithAWarning() async throws {
        try seal("auto")
        try await keyring.lock()
        let result = try await yett("token", "work")
        #expect(result.status == 9)
        #expect(result.errors.hasPrefix("yett: warning: the new store is sealed by a key file: the keyring is locked\n"))
        #expect(exists(home.path + "/data/yett/sessions.key"))
    }

    @Test func timesOutWhenTheBusDoesNotAnswer() async throws {
        try seal("secret-service")
        let silent = try SilentSocket(home.path + "/run/silent")
        let result = try await home.yett(
            "token", "work", with: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(silent.path)", "YETT_NO_AGENT": "1"], limit: .seconds(300))
        expectRefusal(result, "the keyring does not answer")
    }

    @Test func doctorReportsTheStateOfTheKeyring() async throws {
        try seal("secret-service")
        #expect(try await yett("doctor").output.contains("ok   keyring       unlocked, and can keep a store's key\n"))
        try await keyring.lock()
        let locked = try await yett("doctor")
        #expect(locked.status == 2)
        #expect(locked.output.contains("fail keyring       the keyring is locked\n"))
        try seal("key-file")
        #expect(!(try await yett("doctor").output.contains("keyring")))
    }

    private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

/// A socket that accepts connections and never answers.
private final class SilentSocket {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(status == 0 && listen(descriptor, 8) == 0)
    }

    deinit { close(descriptor) }
}
