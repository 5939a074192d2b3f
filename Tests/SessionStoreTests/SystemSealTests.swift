import AuthModel
import TestSupport
import Foundation
import Localization
import Testing

@testable import SessionStore

/// Stores whose key systemd seals, with a peer that has the interface of systemd's service.
@Suite struct SystemSealTests {
    private let folder: Folder
    /// This machine's service.
    private let peer: CredentialsPeer

    init() throws {
        folder = try Folder()
        peer = try CredentialsPeer(folder.path + ".here")
    }

    private func source(_ peer: CredentialsPeer) -> KeySource { .storage(SystemCredentialKey(location: .init(socket: peer.socket))) }

    private func openedRecord(of folder: Folder, at peer: CredentialsPeer) async throws -> SessionRecord? {
        let store = try await folder.open(source(peer))
        try await store.unlock()
        return try await store.record(Sample.name("work/a"))
    }

    private func refusal(of folder: Folder, at peer: CredentialsPeer) async throws -> StoreError.Kind? {
        let store = try await folder.open(source(peer))
        return await failure { try await store.unlock() }
    }

    @Test(arguments: [CredentialsPeer.Kind.host, .hostAndTPM, .hostAndTPMWithPublicKey, .later])
    func opensOnTheMachineThatSealedIt(kind: CredentialsPeer.Kind) async throws {
        let peer = try CredentialsPeer(folder.path + ".kind", kind: kind)
        try await folder.fill("work/a", source: source(peer))
        #expect(peer.requests == ["io.systemd.Credentials.Encrypt", "io.systemd.Credentials.Decrypt", "io.systemd.Credentials.Decrypt"])
        let store = try await folder.open(source(peer))
        // The service takes its time, and summaries need no key.
        #expect(peer.requests.count == 3)
        #expect(try await store.summaries().count == 1)
        #expect(store.storeState == .locked(isNew: false))
        #expect(store.seal == .system)
        #expect(store.systemKey == (kind == .host ? .host : kind == .later ? .unknown : .hostAndTPM))
        try await store.unlock()
        #expect(try await store.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0"))
        #expect(Set(try folder.files().keys) == ["sessions.db", "sessions.lock"])
    }

    @Test(arguments: [CredentialsPeer.Kind.host, .hostAndTPM])
    func copiedStoreIsRefusedOnAnotherMachine(kind: CredentialsPeer.Kind) async throws {
        let here = try CredentialsPeer(folder.path + ".kind", kind: kind)
        try await folder.fill("work/a", source: source(here))
        let copy = try Folder()
        for (name, bytes) in try folder.files() {
            try bytes.write(to: URL(fileURLWithPath: copy.path + "/" + name))
            chmod(copy.path + "/" + name, 0o600)
        }
        let there = try CredentialsPeer(folder.path + ".there", kind: kind)
        #expect(try await refusal(of: copy, at: there) == .systemKey(.otherMachine))
        #expect(try copy.files() == folder.files())
        let failure = StoreError(.systemKey(.otherMachine), path: copy.database).failure
        #expect(failure.message.english == "\(copy.database) is sealed to another machine or user, or it is damaged")
        #expect(failure.hint?.english.hasSuffix("move \(copy.database) away, then sign in again with: yett login") == true)
        // Nothing is lost where it was sealed.
        #expect(try await openedRecord(of: folder, at: here) != nil)
    }

    /// What another machine says of a copied store: it has another service and other security keys, no passphrase and no key file. Another
    /// keyring: KeyringTests.
    static let elsewhere: [(Seal, StoreError.Kind)] = [
        (.passphrase, .wrongPassphrase), (.system, .systemKey(.otherMachine)), (.securityKey, .securityKey(.otherKey)),
        (.keyFile, .keyMissing),
    ]

    @Test(arguments: elsewhere) func copiedStoreIsRefusedElsewhere(seal: Seal, refusal: StoreError.Kind) async throws {
        let (copy, pin) = (try Folder(), Secret("12345678"))
        let keys = [SoftwareKey(.init(pin: "12345678")), SoftwareKey(.init(pin: "12345678"))]
        let peers = [peer, try CredentialsPeer(folder.path + ".there")]
        // Machine 0 and machine 1.
        func source(_ machine: Int) -> KeySource {
            switch seal {
            case .passphrase, .memory, .secretService: .passphrase
            case .system: self.source(peers[machine])
            case .securityKey: .storage(SecurityKey(location: SoftwareKey.location([keys[machine]])))
            case .keyFile: .keyFile([folder, copy][machine].keyFile)
            }
        }
        try await folder.fill("work/a", source: source(0), passphrase: pin)
        try Data(contentsOf: URL(fileURLWithPath: folder.database)).write(to: URL(fileURLWithPath: copy.database))
        chmod(copy.database, 0o600)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: copy.database))
        let entered = seal == .passphrase ? Secret("87654321") : pin
        func unlock(_ folder: Folder, _ machine: Int, _ text: Secret) async throws -> SessionStore {
            let store = try await folder.open(source(machine))
            try await store.unlock(passphrase: text, isPIN: seal == .securityKey)
            return store
        }
        #expect(await failure { _ = try await unlock(copy, 1, entered) } == refusal)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.database)) == bytes)
        // The same copy opens with what the first machine has.
        let store = try await unlock(copy, 0, pin)
        #expect(try await store.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0"))
    }

    @Test func keyOfAnotherStoreOfTheSameMachineIsRefused() async throws {
        let other = try Folder()
        try await folder.fill("work/a", source: source(peer))
        try await other.fill("work/a", source: source(peer))
        let foreign = try await other.open(source(peer)).read { $0.header.credential }
        let header = try await folder.open(source(peer)).read { $0.header }
        let storage = SystemCredentialKey(location: .init(socket: peer.socket))
        #expect(
            await failure { _ = try await storage.key(store: header.storeIdentifier, credential: foreign) } == .systemKey(.otherMachine))
    }

    static let errors: [(String, SystemCredentialFailure)] = [
        ("BadFormat", .otherMachine), ("NameMismatch", .otherMachine), ("BadScope", .otherMachine), ("NoSuchUser", .otherMachine),
        ("KeyBelongsToOtherTPM", .otherMachine), ("UnexpectedPCRState", .bootChanged), ("CantFindPCRSignature", .bootChanged),
        ("TPMInDictionaryLockout", .tpmLockedOut), ("NullKeyNotAllowed", .nullKey),
        ("TimeMismatch", .refused("io.systemd.Credentials.TimeMismatch")),
    ]

    @Test(arguments: errors)
    func errorOfTheServiceIsASentence(name: String, expected: SystemCredentialFailure) async throws {
        try await folder.fill("work/a", source: source(peer))
        peer.behave(.error("io.systemd.Credentials." + name))
        #expect(try await refusal(of: folder, at: peer) == .systemKey(expected))
        peer.behave(.honest)
        #expect(try await openedRecord(of: folder, at: peer) != nil)
    }

    /// Every failure says what happened and what to do, for a new store and for an existing one.
    @Test func everyFailureHasAHint() {
        let failures: [SystemCredentialFailure] =
            Self.errors.map(\.1) + [.noService("/run/x"), .noAnswer, .unreadable, .failed("phrase.no_reason_given")]
        for failure in failures {
            for store in [nil, "/home/ada/sessions.db"] {
                let shown = failure.failure(store: store)
                #expect(!shown.message.english.isEmpty && shown.hint?.english.contains(" ") == true)
            }
        }
    }

    /// Only a store that will never open here is to be moved away.
    @Test func onlyAStoreOfAnotherMachineIsToBeMovedAway() {
        let temporary: [SystemCredentialFailure] = [
            .noService("/run/x"), .noAnswer, .unreadable, .refused("io.systemd.System"), .failed("phrase.no_reason_given"),
        ]
        for failure in temporary {
            #expect(failure.failure(store: "/home/ada/sessions.db").hint?.code == "hint.check_credentials_service")
            #expect(failure.failure(store: nil).hint?.code != "hint.move_store_and_sign_in_again")
        }
        #expect(SystemCredentialFailure.otherMachine.failure(store: "/x").hint?.code == "hint.move_store_and_sign_in_again")
    }

    /// A socket that is there and cannot be asked does not mean that systemd is too old.
    @Test func socketThatCannotBeAskedIsAFailure() async throws {
        let path = folder.path + ".loop"
        try #require(symlink(path, path) == 0)
        defer { unlink(path) }
        let key = SystemCredentialKey(location: .init(socket: path))
        #expect(await key.trouble() == .failed(.verbatim("too many levels of symbolic links")))
    }

    private static func answer(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    @Test(
        arguments: [
            [], [0], Array("{\"parameters\":{\"data\":\"".utf8), answer(""), answer("{"), answer("[]"), answer("{}"),
            answer("{\"parameters\":[]}"),
            answer("{\"parameters\":{}}"), answer("{\"parameters\":{\"data\":7}}"), answer("{\"parameters\":{\"data\":\"*\"}}"),
            answer("{\"parameters\":{\"data\":\"AAAA\"}}"), answer("{\"parameters\":{\"data\":\"AAAA\"},\"continues\":true}"),
            answer("{\"error\":7}"), answer("{\"error\":\"\"}"), answer("{\"parameters\":{}}") + answer("{\"parameters\":{}}"),
            [0xFF, 0xFE, 0], [UInt8](repeating: UInt8(ascii: " "), count: 300 << 10), answer(String(repeating: "[", count: 1000)),
        ] as [[UInt8]])
    func brokenAnswerIsRefused(bytes: [UInt8]) async throws {
        try await folder.fill("work/a", source: source(peer))
        peer.behave(.bytes(bytes))
        #expect(try await refusal(of: folder, at: peer) == .systemKey(.unreadable))
        let empty = try Folder()
        #expect(await failure { _ = try await empty.open(source(peer)) } == .systemKey(.unreadable))
        #expect(try empty.files().isEmpty)
    }

    @Test func anotherKeyThanTheSealedOneOpensNothing() async throws {
        try await folder.fill("work/a", source: source(peer))
        peer.behave(.opensAs([UInt8](repeating: 1, count: 32)))
        #expect(try await refusal(of: folder, at: peer) == .systemKey(.otherMachine))
        // A new store would not open either.
        let empty = try Folder()
        #expect(await failure { _ = try await empty.open(source(peer)) } == .systemKey(.unreadable))
        #expect(try empty.files().isEmpty)
    }

    @Test func serviceThatDoesNotAnswerOrIsNotThere() async throws {
        let silent = SystemCredentialKey(location: .init(socket: peer.socket), limit: .milliseconds(100))
        peer.behave(.silent)
        #expect(await failure { _ = try await folder.open(.storage(silent)) } == .systemKey(.noAnswer))
        for path in ["", folder.path + "/none", folder.path, "/" + String(repeating: "x", count: 200)] {
            let none = SystemCredentialKey(location: .init(socket: path))
            #expect(await failure { _ = try await folder.open(.storage(none)) } == .systemKey(.noService(path)))
            #expect(await none.trouble() == .noService(path))
        }
        #expect(try folder.files().isEmpty)
    }

    @Test func nullKeySealsNoStore() async throws {
        let peer = try CredentialsPeer(folder.path + ".null", kind: .null)
        #expect(await failure { _ = try await folder.open(source(peer)) } == .systemKey(.nullKey))
        #expect(try folder.files().isEmpty)
        #expect(await SystemCredentialKey(location: .init(socket: peer.socket)).trouble() == .nullKey)
    }

    /// A stand-in for `systemd-creds`, which root uses where there is no service.
    @Test func programIsUsedWithoutAService() async throws {
        let program = folder.path + ".creds"
        defer { unlink(program) }
        let script = """
            #!/bin/sh
            case "$1 $2" in
            "encrypt --name=yett-"*) { printf '\\132\\034\\152\\206\\337\\235\\100\\226\\261\\325\\246\\136\\010\\142\\361\\232'; cat; } | base64 ;;
            "decrypt --name=yett-"*) base64 -d | tail -c +17 ;;
            *) echo "unknown request" >&2; exit 1 ;;
            esac
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: program))
        chmod(program, 0o700)
        let storage = SystemCredentialKey(location: .init(socket: folder.path + "/none", program: program))
        try await folder.fill("work/a", source: .storage(storage))
        let store = try await folder.open(.storage(storage))
        #expect(store.systemKey == .host)
        try await store.unlock()
        #expect(try await store.record(Sample.name("work/a")) != nil)
        // `auto` does not choose it.
        #expect(await storage.trouble() == .noService(folder.path + "/none"))
        try Data("#!/bin/sh\necho first >&2\necho the reason >&2\nexit 1\n".utf8).write(to: URL(fileURLWithPath: program))
        let again = try await folder.open(.storage(storage))
        #expect(await failure { try await again.unlock() } == .systemKey(.failed(.verbatim("the reason"))))
    }
}

/// Changes from one seal to another.
extension SystemSealTests {
    @Test func changesBetweenAllSeals() async throws {
        let passphrase = Secret("open sesame")
        try await folder.fill("work/a")
        let keyFile = KeyFile(path: folder.keyFile)
        let all = KeySource.automatic([keyFile, SystemCredentialKey(location: .init(socket: peer.socket))])
        let store = try await folder.open(all)
        let sources: [(Seal, KeySource)] = [(.system, source(peer)), (.passphrase, .passphrase), (.keyFile, .storage(keyFile))]
        var seals: [Seal] = []
        for (first, second) in [(0, 1), (2, 0), (0, 2), (1, 0), (1, 2), (1, 1), (0, 0)] {
            for index in [first, second] {
                try await store.changeSeal(to: sources[index].1, passphrase: passphrase, leftovers: [keyFile])
                seals.append(store.seal)
                #expect(store.seal == sources[index].0)
                #expect(FileManager.default.fileExists(atPath: folder.keyFile) == (store.seal == .keyFile))
                let again = try await folder.open(all)
                try await again.unlock(passphrase: store.seal == .passphrase ? passphrase : nil)
                #expect(try await again.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0"))
            }
        }
        #expect(Set(seals) == [.system, .passphrase, .keyFile])
    }

    /// A store whose seal cannot be made stays as it is.
    @Test func failedChangeKeepsTheSeal() async throws {
        try await folder.fill("work/a")
        let store = try await folder.open()
        peer.behave(.error("io.systemd.System"))
        let files = try folder.files()
        #expect(await failure { try await store.changeSeal(to: source(peer)) } == .systemKey(.refused("io.systemd.System")))
        #expect(try folder.files() == files)
        #expect(store.seal == .keyFile)
        #expect(try await folder.open().record(Sample.name("work/a")) != nil)
    }

    @Test func changesAtTheSameTimeLeaveAStoreThatOpens() async throws {
        try await folder.fill("work/a")
        let keyFile = KeyFile(path: folder.keyFile)
        let all = KeySource.automatic([keyFile, SystemCredentialKey(location: .init(socket: peer.socket))])
        let targets = [source(peer), .storage(keyFile), source(peer), .storage(keyFile), source(peer), .storage(keyFile)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for target in targets {
                let store = try await folder.open(all)
                try await store.unlock()
                group.addTask { try await store.changeSeal(to: target, leftovers: [keyFile]) }
            }
            try await group.waitForAll()
        }
        let store = try await folder.open(all)
        try await store.unlock()
        #expect(try await store.record(Sample.name("work/a")) != nil)
        #expect(FileManager.default.fileExists(atPath: folder.keyFile) == (store.seal == .keyFile))
    }

    /// The user replaces the store while its new key is made. The other store stays as it is.
    @Test func storeThatReplacesTheChangedOneKeepsItsKey() async throws {
        let (source, other) = (KeySource.storage(KeyFile(path: folder.keyFile)), try Folder())
        try await folder.fill("work/a", source: source)
        try await other.fill("work/b", source: source)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: other.database))
        let database = folder.database
        let stand = StandInStorage(making: {
            try? bytes.write(to: URL(fileURLWithPath: database), options: .atomic)
            chmod(database, 0o600)
        })
        let store = try await folder.open(source)
        #expect(await failure { try await store.changeSeal(to: .storage(stand)) } == .busy)
        #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == bytes)
        #expect(try await folder.open(source).record(Sample.name("work/b")) != nil)
    }

    @Test func keyThatCannotBeDeletedKeepsNoOtherOne() async throws {
        let stand = StandInStorage(making: {})
        try await folder.fill("work/a", source: .storage(stand))
        try Data("a leftover".utf8).write(to: URL(fileURLWithPath: folder.keyFile))
        let store = try await folder.open(.storage(stand))
        let leftovers: [any KeyStorage] = [stand, KeyFile(path: folder.keyFile)]
        let kind = await failure { try await store.changeSeal(to: .passphrase, passphrase: Secret("one"), leftovers: leftovers) }
        #expect(kind == .oldKeyRemains(reason: StoreError(.keyMissing).failure.message))
        #expect(store.seal == .passphrase)
        #expect(!FileManager.default.fileExists(atPath: folder.keyFile))
    }

    @Test func passphraseIsCheckedAlthoughTheStoreIsOpen() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: Secret("one"))
        let store = try await folder.open(.passphrase)
        #expect(await failure { try await store.checkPassphrase(Secret("one")) } == .locked)
        try await store.unlock(passphrase: Secret("one"))
        for wrong in [nil, Secret(""), Secret("two")] {
            #expect(await failure { try await store.checkPassphrase(wrong) } == .wrongPassphrase)
        }
        try await store.checkPassphrase(Secret("one"))
        try await store.changeSeal(to: .storage(KeyFile(path: folder.keyFile)))
        try await store.checkPassphrase(nil)
    }
}

/// A keyring with one fixed key, which it does not delete.
private struct StandInStorage: KeyStorage {
    /// Runs while a new key is made.
    let making: @Sendable () -> Void

    var seal: Seal { .secretService }
    var mismatch: StoreError { StoreError(.keyMismatch) }

    func key(store: String, credential: [UInt8]) -> Secret { Secret(bytes: [UInt8](repeating: 7, count: 32)) }

    func newKey(store: String) -> NewKey {
        making()
        return NewKey(key(store: store, credential: []))
    }

    func forget(store: String) throws(StoreError) { throw StoreError(.keyMissing) }
}
