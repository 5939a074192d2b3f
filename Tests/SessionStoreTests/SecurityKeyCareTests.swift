import AuthModel
import TestSupport
import Testing

@testable import SessionStore

/// What a security key is not asked, so that it is not blocked, and what does not open a store although the key answers.
@Suite struct SecurityKeyCareTests {
    private let folder: Folder
    private let pin = Secret("12345678")
    private let passphrase = Secret("open sesame")
    private let key = SoftwareKey(.init(pin: "12345678"))

    init() throws { folder = try Folder() }

    private func source(_ keys: SoftwareKey...) -> KeySource { .storage(SecurityKey(location: SoftwareKey.location(keys))) }

    private func fill() async throws { try await folder.fill("work/a", source: source(key), passphrase: pin) }

    @Test func passphraseIsNotSentToTheKey() async throws {
        let new = try await folder.open(source(key))
        #expect(await failure { try await new.unlock(passphrase: passphrase) } == .securityKey(.pinNeeded))
        #expect(key.pins == 0 && new.storeState == .locked(isNew: true))
        try await fill()
        let pins = key.pins
        let store = try await folder.open(source(key))
        #expect(await failure { try await store.unlock(passphrase: passphrase) } == .securityKey(.pinNeeded))
        #expect(key.pins == pins && store.storeState == .locked(isNew: false))
        try await store.unlock(passphrase: pin, isPIN: true)
        #expect(await failure { try await store.checkPassphrase(passphrase) } == .securityKey(.pinNeeded))
        #expect(key.pins == pins + 1)
    }

    /// Another process may seal a store with a key while this one still asks for the passphrase.
    @Test func newSealIsKnownAfterARefusal() async throws {
        try await folder.fill("work/a", source: .passphrase, passphrase: passphrase)
        let all = KeySource.automatic([SecurityKey(location: SoftwareKey.location([key]))])
        let store = try await folder.open(all)
        #expect(store.seal == .passphrase)
        let other = try await folder.open(all)
        try await other.unlock(passphrase: passphrase)
        try await other.changeSeal(to: source(key), passphrase: pin)
        let pins = key.pins
        #expect(await failure { try await store.unlock(passphrase: passphrase) } == .securityKey(.pinNeeded))
        #expect(key.pins == pins && store.seal == .securityKey)
        try await store.unlock(passphrase: pin, isPIN: true)
        #expect(store.storeState == .unlocked)
    }

    @Test func pinIsNoPassphraseOfANewStore() async throws {
        let store = try await folder.open(.passphrase)
        #expect(await failure { try await store.unlock(passphrase: pin, isPIN: true) } == .locked)
        #expect(store.storeState == .locked(isNew: true))
    }

    @Test func pinIsSentToNoneOfSeveralKeys() async throws {
        try await fill()
        let (second, third) = (SoftwareKey(.init(pin: "2222")), SoftwareKey())
        let store = try await folder.open(source(key, second))
        try await store.unlock(passphrase: pin, isPIN: true)
        try await store.addSecurityKey(pin: pin, newPIN: Secret("2222"))
        let pins = [key.pins, second.pins]
        for entered in [pin, Secret("2222"), Secret("")] {
            let both = try await folder.open(source(key, second))
            #expect(await failure { try await both.unlock(passphrase: entered, isPIN: true) } == .securityKey(.severalOfStore))
        }
        #expect([key.pins, second.pins] == pins)
        // A key without a PIN is asked if none was entered.
        let more = try await folder.open(source(key, third))
        try await more.unlock(passphrase: pin, isPIN: true)
        try await more.addSecurityKey(pin: pin, newPIN: nil)
        let touches = third.touches
        let all = try await folder.open(source(key, second, third))
        try await all.unlock(passphrase: Secret(""), isPIN: true)
        #expect(all.storeState == .unlocked && third.touches == touches + 1)
    }

    /// The first question at each opening wants no touch, so such a key would never open the store that it was enrolled for.
    @Test func keyThatAlwaysWantsATouchIsNotEnrolled() async throws {
        key.behave { $0.alwaysWantsTouch = true }
        let store = try await folder.open(source(key))
        #expect(await failure { try await store.unlock(passphrase: pin, isPIN: true) } == .securityKey(.unsupported))
        #expect(store.storeState == .locked(isNew: true) && key.touches == 1)
    }

    @Test func everyWaitForTheKeyHasALimit() async throws {
        try await fill()
        #expect(key.limits.count > 3)
        #expect(key.limits.allSatisfy { (0...40_000).contains($0) })
    }

    /// A time out, and what other keys say: denied, or stopped.
    @Test(arguments: [0x2F, 0x3A, 0x27, 0x2D] as [UInt8]) func missingTouchIsRecognised(status: UInt8) async throws {
        try await fill()
        key.behave {
            $0.isTouched = false
            $0.untouched = status
        }
        let store = try await folder.open(source(key))
        #expect(await failure { try await store.unlock(passphrase: pin, isPIN: true) } == .securityKey(.noTouch))
    }

    @Test func lockIsNotUndoneByALaterTouch() async throws {
        try await fill()
        let store = try await folder.open(source(key))
        key.behave { $0.whenTouched = { _ = try? store.lock() } }
        #expect(await failure { try await store.unlock(passphrase: pin, isPIN: true) } == .lockedMeanwhile)
        #expect(store.storeState == .locked(isNew: false))
        key.behave { $0.whenTouched = nil }
        let touches = key.touches
        let cancelled = Task { [pin] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { try await store.unlock(passphrase: pin, isPIN: true) }
        }
        #expect(await cancelled.value == .cancelled)
        #expect(key.touches == touches + 1 && store.storeState == .locked(isNew: false))
        try await store.unlock(passphrase: pin, isPIN: true)
        #expect(store.storeState == .unlocked)
    }
}
