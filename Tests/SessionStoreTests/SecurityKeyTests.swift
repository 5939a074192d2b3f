import AuthModel
import Foundation
import Localization
import TestSupport
import Testing

@testable import SessionStore

/// Stores that security keys open, with libfido2 and keys in software.
@Suite struct SecurityKeyTests {
    private let folder: Folder
    private let pin = Secret("12345678")
    private let key = SoftwareKey(.init(pin: "12345678"))

    init() throws { folder = try Folder() }

    private func source(_ keys: SoftwareKey...) -> KeySource { .storage(SecurityKey(location: SoftwareKey.location(keys))) }

    private func fill() async throws { try await folder.fill("work/a", source: source(key), passphrase: pin) }

    private func refusal(at source: KeySource, pin: Secret?) async throws -> SecurityKeyFailure? {
        let store = try await folder.open(source)
        guard case .securityKey(let failure)? = await failure({ try await store.unlock(passphrase: pin, isPIN: true) }) else { return nil }
        #expect(store.storeState == .locked(isNew: false))
        return failure
    }

    private func opens(at source: KeySource, pin: Secret?) async throws -> Bool {
        let store = try await folder.open(source)
        try await store.unlock(passphrase: pin, isPIN: true)
        return try await store.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0")
    }

    @Test(arguments: [nil, "1234", String(repeating: "ü", count: 31)], [[1], [2], [2, 1]])
    func opensWithTheKeyThatSealedIt(pin: String?, protocols: [Int]) async throws {
        let key = SoftwareKey(.init(pin: pin, protocols: protocols))
        let entered = pin.map { Secret($0) }
        let new = try await folder.open(source(key))
        // Nothing is made before the user asks for it.
        #expect(new.storeState == .locked(isNew: true) && new.seal == .securityKey && key.touches == 0)
        try await new.unlock(passphrase: entered, isPIN: true)
        #expect(new.storeState == .unlocked && key.touches == 2)
        _ = try await new.store(Sample.record(), label: .chosen)
        let store = try await folder.open(source(key))
        #expect(store.storeState == .locked(isNew: false) && store.securityKeys == 1)
        #expect(try await store.summaries().count == 1)
        #expect(key.touches == 2)
        try await store.unlock(passphrase: entered, isPIN: true)
        #expect(key.touches == 3)
        #expect(try await store.record(Sample.name("work/a"))?.tokens?.accessToken == Secret("access-secret-0"))
        #expect(Set(try folder.files().keys) == ["sessions.db", "sessions.lock"])
        try store.lock()
        try await store.unlock(passphrase: entered, isPIN: true)
        #expect(key.touches == 4)
    }

    @Test func copiedStoreDoesNotOpenWithAnotherKey() async throws {
        try await fill()
        let files = try folder.files()
        let other = SoftwareKey(.init(pin: "12345678"))
        #expect(try await refusal(at: source(other), pin: pin) == .otherKey)
        #expect(try await refusal(at: source(), pin: pin) == .noKey)
        #expect(other.touches == 0 && other.pins == 0)
        #expect(try folder.files() == files)
        // Among several keys, the right one is asked.
        #expect(try await opens(at: source(other, key), pin: pin))
        #expect(other.touches == 0 && other.pins == 0)
        let shown = StoreError(.securityKey(.otherKey), path: folder.database).failure
        #expect(shown.message.english == "the security key that is plugged in does not open \(folder.database)")
        #expect(shown.hint?.english.hasSuffix("move \(folder.database) away, then sign in again with: yett login") == true)
    }

    @Test func wrongPINIsSentOnceAndSaysHowManyAreLeft() async throws {
        try await fill()
        let pins = key.pins
        #expect(try await refusal(at: source(key), pin: Secret("87654321")) == .wrongPIN(tries: 7))
        #expect(key.pins == pins + 1)
        #expect(try await refusal(at: source(key), pin: Secret("87654322")) == .wrongPIN(tries: 6))
        #expect(try await opens(at: source(key), pin: pin))
        let shown = SecurityKeyFailure.wrongPIN(tries: 7).failure(store: nil)
        #expect(shown.message.english == "wrong PIN of the security key; tries left: 7")
    }

    @Test func keyThatAcceptsNoPINIsSaid() async throws {
        try await fill()
        let pins = key.pins
        for (count, expected) in [SecurityKeyFailure.wrongPIN(tries: 7), .wrongPIN(tries: 6), .pinPaused, .pinPaused].enumerated() {
            #expect(try await refusal(at: source(key), pin: Secret("0000000\(count)")) == expected)
        }
        // Not even the right one.
        #expect(try await refusal(at: source(key), pin: pin) == .pinPaused)
        #expect(key.pins == pins + 3)
        key.replug()
        for expected in [SecurityKeyFailure.wrongPIN(tries: 4), .wrongPIN(tries: 3), .pinPaused] {
            #expect(try await refusal(at: source(key), pin: Secret("00000000")) == expected)
        }
        key.replug()
        for expected in [SecurityKeyFailure.wrongPIN(tries: 1), .pinBlocked, .pinBlocked] {
            #expect(try await refusal(at: source(key), pin: Secret("00000000")) == expected)
        }
        #expect(try await refusal(at: source(key), pin: pin) == .pinBlocked)
    }

    @Test(arguments: ["123", "1234\05678", String(repeating: "1", count: 64)])
    func textThatCannotBeAPINIsNotSent(text: String) async throws {
        try await fill()
        let pins = key.pins
        #expect(try await refusal(at: source(key), pin: Secret(text)) == .invalidPIN)
        #expect(key.pins == pins)
    }

    @Test(arguments: [nil, Secret("")]) func keyWithAPINNeedsIt(none: Secret?) async throws {
        let store = try await folder.open(source(key))
        #expect(await failure { try await store.unlock(passphrase: none, isPIN: true) } == .securityKey(.pinNeeded))
        #expect(try folder.files().keys.contains("sessions.db") == false)
        try await fill()
        #expect(try await refusal(at: source(key), pin: none) == .pinNeeded)
    }

    /// A key computes another secret with its PIN, so a key that had none at its enrolment is asked without it.
    @Test func keyThatGetsAPINLaterStillOpensTheStore() async throws {
        let key = SoftwareKey()
        try await folder.fill("work/a", source: source(key), passphrase: Secret(""))
        key.behave { $0.pin = "12345678" }
        #expect(try await opens(at: source(key), pin: pin))
        #expect(key.pins == 0)
    }

    @Test func keyThatIsNotTouchedOpensNothing() async throws {
        try await fill()
        key.behave { $0.isTouched = false }
        #expect(try await refusal(at: source(key), pin: pin) == .noTouch)
        key.behave { $0.isTouched = true }
        #expect(try await opens(at: source(key), pin: pin))
        let empty = try Folder()
        key.behave { $0.isTouched = false }
        let store = try await empty.open(source(key))
        #expect(await failure { try await store.unlock(passphrase: pin, isPIN: true) } == .securityKey(.noTouch))
        #expect(store.storeState == .locked(isNew: true))
    }

    @Test func keyThatCannotBeEnrolledIsSaid() async throws {
        let store = try await folder.open(source(key))
        key.behave { $0.hasSecrets = false }
        #expect(await failure { try await store.unlock(passphrase: pin, isPIN: true) } == .securityKey(.unsupported))
        key.behave { $0.hasSecrets = true }
        let several = try await folder.open(source(key, SoftwareKey()))
        #expect(await failure { try await several.unlock(passphrase: pin, isPIN: true) } == .securityKey(.severalKeys))
        let broken = SoftwareKey()
        broken.behave { $0.failure = 0x7F }
        let other = try await folder.open(source(broken))
        #expect(await failure { try await other.unlock(passphrase: nil, isPIN: true) } == .securityKey(.failed(0x7F)))
        #expect(key.touches == 0)
    }

    /// Every failure says what happened and what to do, for a new store and for an existing one.
    @Test func everyFailureHasAHint() {
        let failures: [SecurityKeyFailure] = [
            .noLibrary("libfido2.so.1 is not installed", isMissing: true), .noLibrary("no memory", isMissing: false), .noKey, .otherKey,
            .severalKeys, .severalOfStore, .alreadyEnrolled, .tooMany, .notSealed, .unsupported, .pinNeeded, .invalidPIN,
            .wrongPIN(tries: 3), .wrongPIN(tries: nil), .pinPaused, .pinBlocked, .noTouch, .wrongSecret, .failed(1),
        ]
        for failure in failures {
            for store in [nil, "/home/ada/sessions.db"] {
                let shown = failure.failure(store: store)
                #expect(shown.message.english.contains(" ") && !shown.message.english.contains("security_key."))
                #expect(shown.hint?.english.contains(" ") == true)
                // A key that cannot be enrolled is no reason to give up a store.
                if store == nil { #expect(shown.hint?.english.contains("away") == false) }
            }
        }
        let missing = SecurityKeyFailure.noLibrary("libfido2.so.1 is not installed", isMissing: true).failure(store: nil)
        #expect(missing.message.english == "security keys cannot be used: libfido2.so.1 is not installed")
        #expect(missing.hint?.english == "install libfido2: apt-get install libfido2-1")
    }
}

/// Several keys, and changes to and from them.
extension SecurityKeyTests {
    @Test func secondKeyOpensTheStoreToo() async throws {
        try await fill()
        let (second, secondPIN) = (SoftwareKey(.init(pin: "2222")), Secret("2222"))
        let store = try await folder.open(source(key, second))
        #expect(await failure { try await store.addSecurityKey(pin: pin, newPIN: secondPIN) } == .locked)
        try await store.unlock(passphrase: pin, isPIN: true)
        let files = try folder.files()
        let wrong = Secret("0000")
        #expect(await failure { try await store.addSecurityKey(pin: wrong, newPIN: secondPIN) } == .securityKey(.wrongPIN(tries: 7)))
        #expect(await failure { try await store.addSecurityKey(pin: pin, newPIN: wrong) } == .securityKey(.wrongPIN(tries: 7)))
        #expect(try folder.files() == files)
        try await store.addSecurityKey(pin: pin, newPIN: secondPIN)
        #expect(store.securityKeys == 2)
        #expect(try await opens(at: source(key), pin: pin))
        #expect(try await opens(at: source(second), pin: secondPIN))
        // A key is added once, and only beside one that opens the store.
        let touches = key.touches
        #expect(await failure { try await store.addSecurityKey(pin: pin, newPIN: pin) } == .securityKey(.alreadyEnrolled))
        #expect(key.touches == touches)
        let third = try await folder.open(source(second, SoftwareKey()))
        try await third.unlock(passphrase: secondPIN, isPIN: true)
        try await third.addSecurityKey(pin: secondPIN, newPIN: nil)
        #expect(third.securityKeys == 3)
        let alone = try await folder.open(source(SoftwareKey()))
        #expect(alone.securityKeys == 3)
    }

    @Test func lostKeyIsRemovedByANewSealWithTheOther() async throws {
        try await fill()
        let second = SoftwareKey(.init(pin: "2222"))
        let store = try await folder.open(source(key, second))
        try await store.unlock(passphrase: pin, isPIN: true)
        try await store.addSecurityKey(pin: pin, newPIN: Secret("2222"))
        let before = try await store.read { $0.header.credential }
        try await store.changeSeal(to: source(second), passphrase: Secret("2222"))
        #expect(store.securityKeys == 1)
        // The credential and the salt are new with each seal.
        let after = try SecurityKeyEnrolment.all(in: try await store.read { $0.header.credential })
        let old = try SecurityKeyEnrolment.all(in: before)
        #expect(old.allSatisfy { $0.salt != after[0].salt && $0.credential != after[0].credential && $0.wrapped != after[0].wrapped })
        #expect(try await refusal(at: source(key), pin: pin) == .otherKey)
        #expect(try await opens(at: source(second), pin: Secret("2222")))
    }

    @Test func noMoreThanEightKeys() async throws {
        try await fill()
        var keys = [key]
        for _ in 1..<SecurityKey.maximum {
            keys.append(SoftwareKey())
            let store = try await folder.open(.storage(SecurityKey(location: SoftwareKey.location(keys))))
            try await store.unlock(passphrase: pin, isPIN: true)
            try await store.addSecurityKey(pin: pin, newPIN: nil)
            #expect(store.securityKeys == keys.count)
        }
        let store = try await folder.open(source(key, SoftwareKey()))
        try await store.unlock(passphrase: pin, isPIN: true)
        #expect(await failure { try await store.addSecurityKey(pin: pin, newPIN: nil) } == .securityKey(.tooMany))
    }

    @Test func changesToOtherSealsAndBack() async throws {
        try await folder.fill("work/a")
        let keyFile = KeyFile(path: folder.keyFile)
        let all = KeySource.automatic([keyFile, SecurityKey(location: SoftwareKey.location([key]))])
        let store = try await folder.open(all)
        #expect(await failure { try await store.addSecurityKey(pin: pin, newPIN: pin) } == .securityKey(.notSealed))
        let files = try folder.files()
        let wrong = Secret("0000")
        #expect(await failure { try await store.changeSeal(to: source(key), passphrase: wrong) } == .securityKey(.wrongPIN(tries: 7)))
        #expect(try folder.files() == files)
        try await store.changeSeal(to: source(key), passphrase: pin, leftovers: [keyFile])
        #expect(!FileManager.default.fileExists(atPath: folder.keyFile))
        // An unlocked store does not replace the key.
        #expect(await failure { try await store.checkPassphrase(nil) } == .securityKey(.pinNeeded))
        #expect(await failure { try await store.checkPassphrase(wrong, isPIN: true) } == .securityKey(.wrongPIN(tries: 7)))
        let touches = key.touches
        try await store.checkPassphrase(pin, isPIN: true)
        #expect(key.touches == touches + 1)
        let again = try await folder.open(all)
        try await again.unlock(passphrase: pin, isPIN: true)
        try await again.changeSeal(to: .storage(keyFile), leftovers: [SecurityKey(location: .none)])
        #expect(again.securityKeys == nil)
        #expect(try await folder.open().record(Sample.name("work/a")) != nil)
    }

    @Test func enrolmentOfAnotherStoreIsRefused() async throws {
        let other = try Folder()
        try await fill()
        try await other.fill("work/a", source: source(key), passphrase: pin)
        let foreign = try await other.open(source(key)).read { $0.header.credential }
        let header = try await folder.open(source(key)).read { $0.header }
        let storage = SecurityKey(location: SoftwareKey.location([key])).entering(pin)
        #expect(
            await failure { _ = try await storage.key(store: header.storeIdentifier, credential: foreign) } == .securityKey(.wrongSecret))
    }

    @Test func onlyTheSecretOpensAnEnrolment() throws {
        func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
        let (wrapped, secret) = (Secret(bytes: bytes(1)), Secret(bytes: bytes(2)))
        let enrolment = try SecurityKeyEnrolment(
            usesPIN: true, credential: [1], salt: bytes(3), wrapping: wrapped, of: "store", with: secret)
        #expect(try enrolment.key(of: "store", opening: secret) == wrapped)
        #expect(throws: SecurityKeyFailure.wrongSecret) { _ = try enrolment.key(of: "store", opening: Secret(bytes: bytes(4))) }
        #expect(throws: SecurityKeyFailure.wrongSecret) { _ = try enrolment.key(of: "other", opening: secret) }
    }

    @Test func brokenEnrolmentsAreRefused() async throws {
        try await fill()
        let good = try await folder.open(source(key)).read { $0.header.credential }
        #expect(SecurityKeyEnrolment.encoded(try SecurityKeyEnrolment.all(in: good)) == good)
        for count in 0..<good.count {
            #expect(await failure { _ = try SecurityKeyEnrolment.all(in: Array(good.prefix(count))) } == .altered)
        }
        #expect(await failure { _ = try SecurityKeyEnrolment.all(in: good + [0]) } == .altered)
        #expect(await failure { _ = try SecurityKeyEnrolment.all(in: [2] + good.dropFirst()) } == .newerFormat)
        // Each change of a byte gives no key.
        let store = try await folder.open(source(key)).read { $0.header.storeIdentifier }
        let storage = SecurityKey(location: SoftwareKey.location([key])).entering(pin)
        for index in [1, 4, good.count - 100, good.count - 70, good.count - 1] {
            var bytes = good
            bytes[index] ^= 1
            #expect(await failure { _ = try await storage.key(store: store, credential: bytes) } != nil)
        }
    }
}
