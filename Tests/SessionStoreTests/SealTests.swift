import AuthModel
import Crypto
import Foundation
@testable import SessionStore
import Testing

@Suite struct SealTests {
    private let first = Secret("correct horse")
    private let second = Secret("battery staple")
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test func firstPassphraseCreatesTheStore() async throws {
        let store = try await folder.open(.passphrase)
        #expect(store.storeState == .locked(isNew: true))
        #expect(try await store.summaries().isEmpty)
        #expect(await failure { _ = try await store.store(Sample.record()) } == .locked)
        #expect(await failure { try await store.unlock() } == .locked)
        #expect(await failure { try await store.unlock(passphrase: Secret("")) } == .wrongPassphrase)
        #expect(try folder.files().isEmpty)
        try await store.unlock(passphrase: first)
        #expect(store.storeState == .unlocked)
        #expect(store.seal == .passphrase)
        _ = try await store.store(Sample.record())
        #expect(Set(try folder.files().keys) == ["sessions.db", "sessions.lock"])
    }

    @Test func wrongPassphraseOpensAndChangesNothing() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: first)
        let before = try folder.files()
        let store = try await folder.open(.passphrase)
        #expect(store.storeState == .locked(isNew: false))
        for wrong in [second, Secret(""), Secret("correct horse ")] {
            #expect(await failure { try await store.unlock(passphrase: wrong) } == .wrongPassphrase)
        }
        #expect(store.storeState == .locked(isNew: false))
        #expect(try folder.files() == before)
        try await store.unlock(passphrase: first)
        #expect(try await store.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0"))
    }

    @Test func lockedStoreShowsOnlySummaries() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: first)
        let store = try await folder.open(.passphrase)
        let before = try folder.files()
        let (name, revocation, record) = (try Sample.name("work/a"), try Sample.revocation(), try Sample.record())
        #expect(try await store.summaries().map(\.name) == [name])
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.record(name) }, { _ = try await store.records(provider: name.provider) },
            { _ = try await store.store(record) }, { try await store.update(name) { $0 = nil } }, { try await store.delete(name) },
            { try await store.markUsed(name, at: Sample.now, by: nil) },
            { try await store.enqueue(revocation) }, { _ = try await store.pendingRevocations() },
            { try await store.removeRevocation(1) }, { try await store.postponeRevocation(1, until: Sample.now) },
            { _ = try await store.sealedValue(for: "k") }, { try await store.setSealedValue(Secret("v"), for: "k") },
            { try await store.changeSeal(to: .passphrase) },
        ]
        for call in calls { #expect(await failure(call) == .locked) }
        #expect(try folder.files() == before)
    }

    @Test func locksAndUnlocksAgain() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: first)
        let store = try await folder.open(.passphrase)
        try await store.unlock(passphrase: first)
        try store.lock()
        #expect(store.storeState == .locked(isNew: false))
        #expect(await failure { _ = try await store.record(Sample.name("work/a")) } == .locked)
        try await store.unlock(passphrase: first)
        #expect(try await store.record(Sample.name("work/a")) != nil)
    }

    @Test func sessionLockAllowsUpdatesAfterTheStoreIsLocked() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: first)
        let store = try await folder.open(.passphrase)
        try await store.unlock(passphrase: first)
        let name = try Sample.name("work/a")
        let lock = try await store.lock(name, until: .seconds(600))
        try store.lock()
        #expect(await failure { try await store.update(name) { $0?.clientID = "without" } } == .locked)
        try await store.update(name, holding: lock) { $0?.clientID = "with" }
        lock.release()
        #expect(await failure { try await store.update(name, holding: lock) { $0?.clientID = "after" } } == .locked)
        // A session lock that is acquired while the store is locked allows no update.
        let late = try await store.lock(name, until: .seconds(600))
        #expect(await failure { try await store.update(name, holding: late) { $0?.clientID = "late" } } == .locked)
        late.release()
        try await store.unlock(passphrase: first)
        #expect(try await store.record(name)?.clientID == "with")
    }

    @Test func unlocksWithTheKeyFileWithoutAPassphrase() async throws {
        try await folder.fill("work/a")
        let store = try await folder.open()
        try store.lock()
        #expect(store.storeState == .locked(isNew: false))
        try await store.unlock()
        #expect(try await store.record(Sample.name("work/a")) != nil)
    }

    @Test func changesThePassphrase() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: first)
        let store = try await folder.open(.passphrase)
        try await store.unlock(passphrase: first)
        try await store.changeSeal(to: .passphrase, passphrase: second)
        let again = try await folder.open(.passphrase)
        #expect(await failure { try await again.unlock(passphrase: first) } == .wrongPassphrase)
        try await again.unlock(passphrase: second)
        #expect(try await again.record(Sample.name("work/a")) != nil)
    }

    @Test func changesFromAKeyFileToAPassphraseAndBack() async throws {
        try await folder.fill("work/a")
        let store = try await folder.open()
        try await store.changeSeal(to: .passphrase, passphrase: first)
        #expect(store.seal == .passphrase)
        #expect(!FileManager.default.fileExists(atPath: folder.keyFile))
        let again = try await folder.open(.passphrase)
        #expect(again.storeState == .locked(isNew: false))
        try await again.unlock(passphrase: first)
        try await again.changeSeal(to: .keyFile(folder.keyFile))
        #expect(try await folder.open().record(Sample.name("work/a")) != nil)
        #expect(await failure { _ = try await folder.open(.passphrase) } == .sealDiffers(stored: .keyFile, configured: .passphrase))
    }

    @Test func automaticSealFollowsTheStore() async throws {
        let (open, sealed) = (try Folder(), try Folder())
        let automatic = KeySource.automatic([KeyFile(path: open.keyFile)])
        #expect(try await open.open(automatic).seal == .keyFile)
        try await sealed.fill("work/a", source: .passphrase, passphrase: first)
        let store = try await sealed.open(automatic)
        #expect(store.seal == .passphrase)
        #expect(store.storeState == .locked(isNew: false))
    }

    @Test func reportsAMissingOrWrongKeyFile() async throws {
        let other = try Folder()
        try await folder.fill("work/a")
        try await other.fill("work/a")
        let key = try Data(contentsOf: URL(fileURLWithPath: folder.keyFile))
        try FileManager.default.removeItem(atPath: folder.keyFile)
        #expect(await failure { _ = try await folder.open() } == .keyMissing)
        #expect(!FileManager.default.fileExists(atPath: folder.keyFile))
        let foreign = try Data(contentsOf: URL(fileURLWithPath: other.keyFile))
        for wrong in [foreign, Data(key.dropLast()), Data(), Data(key.reversed()), key + key] {
            try wrong.write(to: URL(fileURLWithPath: folder.keyFile))
            chmod(folder.keyFile, 0o600)
            #expect(await failure { _ = try await folder.open() } == .keyMismatch)
        }
        try key.write(to: URL(fileURLWithPath: folder.keyFile))
        chmod(folder.keyFile, 0o600)
        #expect(try await folder.open().record(Sample.name("work/a")) != nil)
    }

    @Test(
        arguments: [
            (14, 8, 1, 32), (19, 8, 1, 32), (40, 8, 1, 32), (63, 8, 1, 32), (-1, 8, 1, 32), (15, 1 << 40, 1, 32), (15, 1, 1, 32),
            (15, 8, 1 << 40, 32), (15, 8, 0, 32), (15, 8, 1, 15), (15, 8, 1, 0), (15, 8, 1, 1000),
        ] as [(Int64, Int64, Int64, Int)])
    func refusesKeyDerivationOutOfBounds(cost: Int64, blockSize: Int64, parallelism: Int64, salt: Int) async throws {
        let derivation = KeyDerivation(
            salt: Array(repeating: 7, count: salt), cost: cost, blockSize: blockSize, parallelism: parallelism)
        var header = Header.fresh(.passphrase, derivation: derivation)
        header.wrapped = Array(repeating: 1, count: 60)
        // A complete store with these parameters; its digest needs no key and is valid.
        let maker = SessionStore(directory: folder.path, source: .passphrase, time: FixedCivilTime(), settings: Sample.settings)
        try await maker.create(header, keys: StoreKeys())
        let store = try await SessionStore.open(directory: folder.path, source: .passphrase, time: FixedCivilTime())
        #expect(await failure { try await store.unlock(passphrase: first) } == .derivationOutOfBounds)
    }

    @Test func derivesAtFullCostByDefault() async throws {
        let store = try await SessionStore.open(directory: folder.path, source: .passphrase, time: FixedCivilTime())
        try await store.unlock(passphrase: first)
        let derivation = try #require(try await store.read { $0.header.derivation })
        #expect(derivation.cost == 17)
        #expect(derivation.blockSize == 8)
        #expect(derivation.salt.count == 32)
    }

    private func open(cost: Int64) async throws -> SessionStore {
        var settings = Sample.settings
        settings.bounds.fresh = cost
        return try await SessionStore.open(directory: folder.path, source: .passphrase, time: FixedCivilTime(), settings: settings)
    }

    @Test func unlockingUpgradesTheDerivationCost() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: first)
        let old = try await folder.open(.passphrase).read { $0.header }
        let store = try await open(cost: 12)
        #expect(await failure { try await store.unlock(passphrase: second) } == .wrongPassphrase)
        #expect(try await store.read { $0.header } == old)
        try await store.unlock(passphrase: first)
        let new = try await store.read { $0.header }
        #expect(new.derivation?.cost == 12)
        #expect(new.derivation?.salt != old.derivation?.salt)
        #expect(new.wrapped != old.wrapped)
        #expect(new.store == old.store)
        // The data key is unchanged, so nothing is sealed again.
        #expect(try await store.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0"))
        let files = try folder.files()
        let again = try await open(cost: 12)
        #expect(await failure { try await again.unlock(passphrase: second) } == .wrongPassphrase)
        try await again.unlock(passphrase: first)
        #expect(try await again.record(Sample.name("work/a")) != nil)
        #expect(try folder.files() == files)
    }

    @Test func neverLowersTheDerivationCost() async throws {
        let strong = try await open(cost: 12)
        try await strong.unlock(passphrase: first)
        let files = try folder.files()
        try await folder.open(.passphrase).unlock(passphrase: first)
        #expect(try folder.files() == files)
    }

    /// Stores that unlock at the same time upgrade once, and all of them open.
    @Test func concurrentUnlocksUpgradeOnce() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: first)
        let before = try await folder.open(.passphrase).read { $0.contents.revision }
        let stores = [try await open(cost: 12), try await open(cost: 12), try await open(cost: 12)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores { group.addTask { [first] in try await store.unlock(passphrase: first) } }
            try await group.waitForAll()
        }
        for store in stores { #expect(try await store.record(Sample.name("work/a")) != nil) }
        #expect(try await stores[0].read { $0.contents.revision } == before + 1)
    }

    /// The expected key comes from another implementation (OpenSSL).
    @Test func derivesTheSameScryptKeyAsOpenSSL() async throws {
        let salted = KeyDerivation(salt: Array("SodiumChlorideSodiumChloride".utf8), cost: 10, blockSize: 8, parallelism: 1)
        let key = try await salted.key(from: Secret("pleaseletmein"), bounds: .init(accepted: 10...18, fresh: 10))
        let digits = key.withUnsafeBytes { $0.hexadecimal }
        #expect(digits == "e656f3fefc356f528599833568263aa35d2a6ee4831fe149ce40b58b03835fcd")
    }

    @Test func neverReusesANonceSaltOrKey() async throws {
        let keys = StoreKeys()
        var boxes: Set<[UInt8]> = []
        var nonces: Set<[UInt8]> = []
        for _ in 0..<10_000 {
            let sealed = try keys.seal(Secret("one state"), authenticating: [1])
            boxes.insert(sealed.box)
            nonces.insert(Array(sealed.box.prefix(12)))
        }
        #expect(boxes.count == 10_000)
        #expect(nonces.count == 10_000)
        #expect(Set((0..<100).map { _ in KeyDerivation.fresh(.standard).salt }).count == 100)
        let (one, two) = (try Folder(), try Folder())
        try await one.fill("work/a")
        try await two.fill("work/a")
        #expect(try one.files()["store.key"] != two.files()["store.key"])
        #expect(try one.boxes() != two.boxes())
    }

    @Test func everySaveReseals() async throws {
        let store = try await folder.open()
        var boxes: Set<[UInt8]> = []
        for _ in 0..<50 {
            _ = try await store.store(Sample.record())
            boxes.formUnion(try folder.boxes().values)
        }
        #expect(boxes.count == 50)
    }
}
