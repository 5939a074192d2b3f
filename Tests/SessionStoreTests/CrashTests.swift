import AuthModel
import TestSupport
import Foundation
@testable import SessionStore
import Testing

/// Kills, power failures and disk errors at every disk change by SQLite. Each run fails one change later, until a run ends before its
/// fault.
@Suite struct CrashTests {
    @Test(arguments: ["kill", "torn", "power"])
    func killedSaveLeavesTheOldOrTheNewState(_ fault: String) async throws {
        let folder = try Folder()
        try await folder.prepare()
        var kills = 0
        for at in 1... {
            let before = try await folder.step()
            let end = try StoreTask("save", folder.path, fault, "\(at)", "\(at)").end()
            guard end.status == -SIGKILL else {
                #expect(end.status == 0)
                break
            }
            kills += 1
            let reported = end.last("saved").flatMap(Int.init) ?? before
            let after = try await folder.step()
            // Every reported save is on disk; at most the save in progress may be there in addition.
            #expect(after == reported || after == reported + 1, "\(fault) at change \(at): \(reported) was saved, \(after) is there")
        }
        #expect(kills >= 50)
        #expect(try folder.files().keys.filter { $0.hasSuffix("-journal") }.isEmpty)
    }

    @Test(arguments: ["full", "broken"])
    func failedSaveKeepsTheOldStateAndCanBeRepeated(_ fault: String) async throws {
        let folder = try Folder()
        try await folder.prepare()
        var refusals: Set<String> = []
        for at in 1... {
            let before = try await folder.step()
            let end = try StoreTask("save", folder.path, fault, "\(at)", "1").end()
            #expect(end.status == 0, "\(end.lines)")
            let after = try await folder.step()
            #expect(after == before + 3)
            if let changes = end.last("done").flatMap(Int.init), changes < at { break }
            guard let refusal = end.last("refused") else {
                // The fault hit an operation that need not succeed, such as truncating a journal that is deleted next.
                continue
            }
            refusals.insert(refusal)
            let refusedAt = end.lines.firstIndex { $0.hasPrefix("refused") } ?? 0
            #expect(end.lines[refusedAt + 1] == "holds \(before + refusedAt)")
        }
        switch fault {
        case "full": #expect(refusals == ["full"])
        // SQLITE_IOERR_WRITE and SQLITE_IOERR_FSYNC.
        default: #expect(refusals.allSatisfy { $0.hasPrefix("database(") } && refusals.contains { $0.contains("disk I/O error") })
        }
    }

    @Test(arguments: ["kill", "torn", "power"])
    func killedCreationLeavesAWholeStoreOrNone(_ fault: String) async throws {
        var kills = 0
        for at in 1... {
            let folder = try Folder()
            let end = try StoreTask("create", folder.path, fault, "\(at)", "\(at)").end()
            if end.status == -SIGKILL {
                kills += 1
                #expect(!FileManager.default.fileExists(atPath: folder.database))
            }
            #expect(try await folder.open().summaries().isEmpty)
            // Leftover files are removed.
            #expect(Set(try folder.files().keys) == ["sessions.db", "sessions.lock", "store.key"])
            if end.status == 0 { break }
        }
        #expect(kills >= 15)
    }

    @Test(arguments: ["kill", "torn", "power"])
    func killedPassphraseChangeLeavesOneValidPassphrase(_ fault: String) async throws {
        let folder = try Folder()
        var (current, next) = ("one", "two")
        try await folder.fill("work/a", source: .passphrase, passphrase: Secret(current))
        var kills = 0
        for at in 1... {
            let end = try StoreTask("passphrase", folder.path, current, next, fault, "\(at)", "\(at)").end()
            let store = try await folder.open(.passphrase)
            let withCurrent = await failure { try await store.unlock(passphrase: Secret(current)) }
            if withCurrent == nil { try store.lock() }
            let withNext = await failure { try await store.unlock(passphrase: Secret(next)) }
            #expect([withCurrent, withNext].filter { $0 == nil }.count == 1, "\(fault) at change \(at)")
            #expect([withCurrent, withNext].contains(.wrongPassphrase))
            if withNext == nil { swap(&current, &next) }
            guard end.status == -SIGKILL else {
                #expect(end.status == 0)
                #expect(withNext == nil)
                break
            }
            kills += 1
        }
        #expect(kills >= 8)
    }

    @Test(arguments: ["kill", "torn", "power", "full", "broken"])
    func failedUpgradeKeepsThePassphraseValid(_ fault: String) async throws {
        let passphrase = Secret("one")
        var failures = 0
        for at in 1... {
            let folder = try Folder()
            try await folder.fill("work/a", source: .passphrase, passphrase: passphrase)
            let end = try StoreTask("upgrade", folder.path, "one", fault, "\(at)", "\(at)").end()
            // A full or broken disk does not prevent reading.
            #expect(["kill", "torn", "power"].contains(fault) ? [0, -SIGKILL].contains(end.status) : end.status == 0)
            let store = try await folder.open(.passphrase)
            let cost = try await store.read { $0.header.derivation?.cost }
            #expect(cost == 10 || cost == 11)
            try await store.unlock(passphrase: passphrase)
            #expect(try await store.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0"))
            if let changes = end.last("done").flatMap(Int.init), changes < at {
                #expect(cost == 11)
                break
            }
            failures += 1
        }
        #expect(failures >= 8)
    }

    static let seals: [(from: String, to: String)] = [
        ("key-file", "system"), ("system", "key-file"), ("system", "passphrase"), ("passphrase", "system"),
        ("key-file", "secret-service"), ("secret-service", "security-key"), ("security-key", "passphrase"),
        ("passphrase", "secret-service"), ("security-key", "key-file"),
    ]

    /// Changes the seal with a kill at each change of the disk, and at each step of the key storages: before and after a new key is made,
    /// and before and after the old one is deleted.
    @Test(arguments: ["kill", "torn", "power", "step"], seals)
    func killedChangeOfTheSealLosesNoSession(_ fault: String, seals: (from: String, to: String)) async throws {
        var kills = 0
        for at in 1... {
            let folder = try Folder()
            let peer = try CredentialsPeer(folder.path + ".peer")
            let service = SystemCredentialKey(location: .init(socket: peer.socket))
            let keyring = folder.path + "/keyring/key"
            // A keyring is a file elsewhere, and a security key a service that asks the user.
            let storages: [any KeyStorage] = [
                KeyFile(path: folder.keyFile), service, StandIn(for: .secretService, KeyFile(path: keyring)),
                StandIn(for: .securityKey, service),
            ]
            let source = storages.first { $0.seal.rawValue == seals.from }.map { KeySource.storage($0) } ?? .passphrase
            try await folder.fill("work/a", source: source, passphrase: Secret("one"))
            let isStep = fault == "step"
            func change(_ step: Int, _ fault: String, _ at: Int) throws -> StoreTask.End {
                try StoreTask("seal", folder.path, seals.to, peer.socket, "\(step)", fault, "\(at)", "\(at)").end()
            }
            let end = isStep ? try change(at, "kill", 0) : try change(0, fault, at)
            // At every step the store opens, and has its session.
            func check() async throws -> Seal {
                let store = try await folder.open(.automatic(storages))
                try await store.unlock(passphrase: Secret("one"), isPIN: store.seal == .securityKey)
                #expect(try await store.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0"))
                return store.seal
            }
            #expect([seals.from, seals.to].contains(try await check().rawValue))
            guard end.status == -SIGKILL else {
                #expect(end.status == 0, "\(end.lines)")
                #expect(try await check().rawValue == seals.to)
                break
            }
            kills += 1
            // The next change finishes, and leaves no older key.
            #expect(try change(0, "kill", 0).status == 0)
            #expect(try await check().rawValue == seals.to)
            #expect(FileManager.default.fileExists(atPath: folder.keyFile) == (seals.to == "key-file"))
            #expect(FileManager.default.fileExists(atPath: keyring) == (seals.to == "secret-service"))
        }
        #expect(kills >= (fault == "step" ? 2 : 8), "\(kills)")
    }

    @Test func survivesAFileThatCannotGrow() async throws {
        let folder = try Folder()
        try await folder.prepare()
        let before = try await folder.open().record(Sample.name("work/a"))
        let end = try StoreTask("limit", folder.path, "30000").end()
        #expect(end.status == 1)
        #expect(end.last("failed")?.contains("disk I/O error") == true, "\(end.lines)")
        #expect(try await folder.open().record(Sample.name("work/a")) == before)
    }

    /// The process gets more memory in each run, until it is enough.
    @Test func outOfMemoryIsReportedAndKeepsTheOldState() async throws {
        let folder = try Folder()
        try await folder.prepare()
        var refusals = 0
        for spare in stride(from: 0, to: 1_000_000, by: 1000) {
            let before = try await folder.step()
            let end = try StoreTask("memory", folder.path, "\(spare)").end()
            #expect(end.status == 0, "\(end.lines)")
            #expect(try await folder.step() == before + 1)
            guard end.last("refused") != nil else { break }
            refusals += 1
        }
        #expect((3..<1000).contains(refusals), "\(refusals)")
    }

    @Test(.enabled(if: geteuid() == 0, "mounting a small disk takes root"))
    func survivesAFullDisk() async throws {
        let folder = try Folder()
        let disk = folder.path + "/disk"
        mkdir(disk, 0o700)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=64k,mode=0700") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let store = try await SessionStore.open(directory: disk, source: .keyFile(disk + "/store.key"), time: FixedCivilTime())
        _ = try await store.store(Sample.record())
        var big = try Sample.record("work/big", subject: "big")
        big.extras = .string(String(repeating: "x", count: 100_000))
        let record = big
        #expect(await failure { _ = try await store.store(record) } == .full)
        #expect(try await store.record(Sample.name("work/a")) == Sample.record())
        #expect(try await store.summaries().count == 1)
        big.extras = "small"
        _ = try await store.store(big)
        #expect(try await store.summaries().count == 2)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting a disk takes root"))
    func readsFromAReadOnlyDisk() async throws {
        let folder = try Folder()
        let (disk, view) = (folder.path + "/disk", folder.path + "/view")
        func open(_ path: String, _ source: KeySource? = nil) async throws -> SessionStore {
            try await SessionStore.open(directory: path, source: source ?? .keyFile(path + "/store.key"), time: FixedCivilTime())
        }
        _ = try await open(disk).store(Sample.record())
        mkdir(view, 0o700)
        try #require(mount(disk, view, nil, MountFlag.bind, nil) == 0)
        defer { umount2(view, Int32(MNT_DETACH)) }
        try #require(mount(nil, view, nil, MountFlag.bind | MountFlag.remount | MountFlag.readOnly, nil) == 0)
        let store = try await open(view)
        #expect(try await store.record(Sample.name("work/a")) == Sample.record())
        #expect(await failure { try await store.delete(Sample.name("work/a")) } == .readOnly)
        #expect(await failure { _ = try await open(view + "/new", .passphrase) } == .readOnly)
        #expect(try await store.summaries().count == 1)
    }
}

/// A key storage with another seal than its own.
private struct StandIn<Storage: KeyStorage>: KeyStorage {
    let seal: Seal
    let storage: Storage

    init(for seal: Seal, _ storage: Storage) {
        self.seal = seal
        self.storage = storage
    }

    var isImmediate: Bool { storage.isImmediate }
    var asksUser: Bool { seal == .securityKey }
    var mismatch: StoreError { storage.mismatch }

    func key(store: String, credential: [UInt8]) async throws(StoreError) -> Secret {
        try await storage.key(store: store, credential: credential)
    }

    func newKey(store: String) async throws(StoreError) -> NewKey { try await storage.newKey(store: store) }
    func forget(store: String) async throws(StoreError) { try await storage.forget(store: store) }
}

/// The `MS_…` flags of `<sys/mount.h>`, which Swift does not import.
private enum MountFlag {
    static let readOnly: UInt = 1
    static let remount: UInt = 32
    static let bind: UInt = 4096
}

extension Folder {
    /// Creates a store with one session, which has the number 0.
    fileprivate func prepare() async throws {
        let store = try await open()
        var record = try Sample.record()
        record.clientID = "0"
        _ = try await store.store(record)
    }

    /// Returns the number that every part of the session has.
    fileprivate func step() async throws -> Int {
        let store = try await open()
        let record = try #require(try await store.record(Sample.name("work/a")))
        let step = try #require(Int(record.clientID))
        #expect(try await store.summaries() == [record.summary])
        if step > 0 {
            #expect(record.summary.warnings == [.verbatim(record.clientID)])
            #expect(record.tokens?.accessToken == Secret("token \(step)"))
            #expect(record.identity.userInfo.string?.hasPrefix("\(step) ") == true)
        }
        return step
    }
}
