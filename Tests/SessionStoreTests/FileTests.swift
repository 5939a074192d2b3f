import AuthModel
import Foundation
import Localization
@testable import SessionStore
import Testing

@Suite struct FileTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func openAndLock() async throws { _ = try await folder.open().lock(Sample.name("work/a"), until: .zero) }

    @Test(arguments: ["000", "022", "077", "0777"])
    func filesArePrivateWithAnyUmask(_ mask: String) throws {
        let end = try StoreTask("umask", folder.path + "/share/a/yett", mask).end()
        #expect(end.lines == ["done"])
        #expect(try ["share", "share/a", "share/a/yett"].map { try folder.mode($0) } == [0o700, 0o700, 0o700])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/share/a/yett").sorted()
        #expect(names == ["sessions.db", "sessions.lock", "store.key"])
        for name in names { #expect(try folder.mode("share/a/yett/" + name) == 0o600, "\(name)") }
    }

    /// Temporary key files of killed processes are removed at the next opening; the file of a living writer stays.
    @Test func removesTemporaryKeyFilesOfDeadProcesses() async throws {
        let (stale, alive) = (folder.keyFile + ".new.999999.1", folder.keyFile + ".new.\(getpid()).2")
        for path in [stale, alive] { try Data("half".utf8).write(to: URL(fileURLWithPath: path)) }
        let writer = open(alive, O_RDONLY | O_CLOEXEC)
        defer { close(writer) }
        #expect(flock(writer, LOCK_EX | LOCK_NB) == 0)
        try await folder.fill("work/a")
        #expect(try folder.files().keys.sorted() == ["sessions.db", "sessions.lock", "store.key", "store.key.new.\(getpid()).2"])
        flock(writer, LOCK_UN)
        _ = try await folder.open().summaries()
        #expect(try folder.files().keys.sorted() == ["sessions.db", "sessions.lock", "store.key"])
    }

    @Test(arguments: [0o710, 0o701, 0o755, 0o777, 0o1777])
    func refusesAFolderWithLoosePermissions(_ mode: mode_t) async throws {
        chmod(folder.path, mode)
        let error = try #require(await caught { _ = try await folder.open() })
        #expect(error == StoreError(.unsafe(.loose(required: 0o700)), path: folder.path))
        #expect(
            error.failure
                == AuthFailure(
                    .configuration, UserMessage("file.accessible_to_others", ["path": folder.path]),
                    hint: UserMessage("hint.run_chmod", ["mode": 700, "path": folder.path])))
        chmod(folder.path, 0o700)
        #expect(try folder.files().isEmpty)
    }

    @Test(arguments: ["sessions.db", "store.key", "sessions.lock"])
    func refusesAFileWithLoosePermissions(_ name: String) async throws {
        try await folder.fill("work/a")
        let path = folder.path + "/" + name
        chmod(path, 0o640)
        let error = try #require(await caught(openAndLock))
        #expect(error == StoreError(.unsafe(.loose(required: 0o600)), path: path))
        #expect(error.failure.hintText == "run: chmod 600 \(path)")
    }

    @Test(arguments: ["sessions.db", "store.key", "sessions.lock"])
    func refusesALinkAsAFile(_ name: String) async throws {
        try await folder.fill("work/a")
        let path = folder.path + "/" + name
        try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        let error = try #require(await caught(openAndLock))
        #expect(error == StoreError(.unsafe(.symbolicLink), path: path))
    }

    @Test(arguments: ["", "/", "//"])
    func refusesALinkAsTheFolder(_ ending: String) async throws {
        let link = folder.path + "/link"
        mkdir(folder.path + "/real", 0o700)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/real")
        let error = await caught { _ = try await SessionStore.open(directory: link + ending, source: .passphrase, time: FixedCivilTime()) }
        #expect(error == StoreError(.unsafe(.symbolicLink), path: link))
    }

    @Test func refusesADanglingLink() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.database, withDestinationPath: folder.path + "/elsewhere")
        #expect(await failure { _ = try await folder.open() } == .unsafe(.symbolicLink))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/elsewhere"))
    }

    @Test func refusesOtherFileTypes() async throws {
        mkdir(folder.database, 0o700)
        #expect(await failure { _ = try await folder.open() } == .unsafe(.wrongType))
        rmdir(folder.database)
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        #expect(
            await failure { _ = try await SessionStore.open(directory: folder.path + "/file", source: .passphrase, time: FixedCivilTime()) }
                == .unsafe(.wrongType))
        mkfifo(folder.keyFile, 0o600)
        #expect(await failure { _ = try await folder.open() } == .unsafe(.wrongType))
    }

    @Test(.enabled(if: geteuid() == 0, "giving a file away takes root"), arguments: ["", "sessions.db", "store.key", "sessions.lock"])
    func refusesFilesOfAnotherOwner(_ name: String) async throws {
        try await folder.fill("work/a")
        let path = name.isEmpty ? folder.path : folder.path + "/" + name
        chown(path, 65_534, 65_534)
        let error = await caught(openAndLock)
        #expect(error == StoreError(.unsafe(.foreignOwner), path: path))
    }

    @Test(arguments: ["with blank", "with\nnewline", "with'quote", "with\u{1B}[31mescape", "with%20percent?query#hash", "ünïcode", "-dash"])
    func worksInAFolderWithAnyName(_ name: String) async throws {
        let path = folder.path + "/" + name
        let source = KeySource.keyFile(path + "/store.key")
        _ = try await SessionStore.open(directory: path, source: source, time: FixedCivilTime()).store(Sample.record())
        #expect(try await SessionStore.open(directory: path, source: source, time: FixedCivilTime()).summaries().count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["sessions.db", "sessions.lock", "store.key"])
        chmod(path, 0o755)
        let error = try #require(await caught { _ = try await SessionStore.open(directory: path, source: source, time: FixedCivilTime()) })
        let texts = [error.failure.summary, error.failure.hintText ?? ""]
        #expect(texts.allSatisfy { text in text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }, "\(texts)")
    }

    @Test func readsAReplacedDatabase() async throws {
        let other = try Folder()
        try await folder.fill("work/a")
        try await other.fill("work/b", source: .keyFile(folder.keyFile))
        let store = try await folder.open()
        #expect(try await store.summaries().map(\.name) == [Sample.name("work/a")])
        try FileManager.default.removeItem(atPath: folder.database)
        try FileManager.default.moveItem(atPath: other.database, toPath: folder.database)
        #expect(try await store.summaries().map(\.name) == [Sample.name("work/b")])
        #expect(try await store.record(Sample.name("work/b")) != nil)
        _ = try await store.store(Sample.record("work/c", subject: "c"))
        #expect(try await folder.open().summaries().count == 2)
    }

    @Test(arguments: [false, true])
    func createsANewStoreAfterItsFileIsRemoved(withFolder: Bool) async throws {
        let place = folder.path + "/yett"
        let store = try await SessionStore.open(
            directory: place, source: .keyFile(place + "/store.key"), time: FixedCivilTime(), settings: Sample.settings)
        _ = try await store.store(Sample.record("work/a", subject: "a"))
        try FileManager.default.moveItem(
            atPath: withFolder ? place : place + "/sessions.db", toPath: folder.path + "/before")
        #expect(store.storeState == .locked(isNew: true))
        #expect(try await store.summaries().isEmpty)
        #expect(await failure { _ = try await store.store(Sample.record("work/b", subject: "b")) } == .locked)
        try await store.unlock()
        _ = try await store.store(Sample.record("work/b", subject: "b"))
        #expect(try await store.summaries().map(\.name) == [Sample.name("work/b")])
    }

    @Test func keysOfARemovedStoreOpenNoOther() async throws {
        let other = try Folder()
        try await folder.fill("work/a", source: .passphrase, passphrase: Secret("one"))
        try await other.fill("work/a", source: .passphrase, passphrase: Secret("two"))
        let store = try await folder.open(.passphrase)
        try await store.unlock(passphrase: Secret("one"))
        let name = try Sample.name("work/a")
        let lock = try await store.lock(name, until: .seconds(600))
        try FileManager.default.removeItem(atPath: folder.database)
        try FileManager.default.moveItem(atPath: other.database, toPath: folder.database)
        #expect(store.storeState == .locked(isNew: false))
        #expect(await failure { try await store.update(name, holding: lock) { $0?.clientID = "x" } } == .locked)
        try await store.unlock(passphrase: Secret("two"))
        #expect(try await store.record(name)?.clientID != "x")
    }

    @Test func writesNoSecretInPlainText() async throws {
        let store = try await folder.open()
        for number in 0..<20 { _ = try await store.store(Sample.record("work/\(number)", subject: "\(number)")) }
        try await store.enqueue(Sample.revocation())
        try await store.setSealedValue(Secret("value-secret-7"), for: "k")
        try expectNoSecret()
        // A save that is killed leaves its journal.
        _ = try StoreTask("save", folder.path, "kill", "1", "1").end()
        let name = try Sample.name("work/a")
        _ = try await store.store(Sample.record("work/a", subject: "a"))
        #expect(try await store.record(name) != nil)
        let killed = try StoreTask("save", folder.path, "kill", "6", "1").end()
        #expect(killed.status == -SIGKILL)
        #expect(try folder.files()["sessions.db-journal"] != nil)
        try expectNoSecret()
        try await store.changeSeal(to: .passphrase, passphrase: Secret("passphrase-secret-8"))
        try expectNoSecret()
    }

    private func expectNoSecret(_ location: SourceLocation = #_sourceLocation) throws {
        for (name, bytes) in try folder.files() {
            for secret in Sample.secrets + ["passphrase-secret-8", "token "] {
                #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(secret) in \(name)", sourceLocation: location)
            }
        }
    }
}

/// Returns the store error that `body` throws; nil if it throws none.
func caught(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
