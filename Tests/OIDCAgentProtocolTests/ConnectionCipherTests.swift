import AuthModel
@testable import OIDCAgentProtocol
import Testing

/// The encryption of a connection, against the published vectors of NaCl (`tests/box.c`, `tests/box2.c`).
struct ConnectionCipherTests {
    private static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }

    private static let alicePrivate = bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    private static let alicePublic = bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    private static let bobPrivate = bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    private static let bobPublic = bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    private static let nonce = bytes("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")
    private static let plain = bytes(
        "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561"
            + "f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c6090"
            + "2e52f0a089bc76897040e082f937763848645e0705")
    private static let sealed = bytes(
        "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce8"
            + "7b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0"
            + "e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5")

    @Test func vectorsOfNaClAreReproduced() throws {
        try #require(ConnectionCipher.obstacle == nil)
        let alice = try #require(
            ConnectionCipher(publicKey: Self.alicePublic, privateKey: Self.alicePrivate, otherKey: Self.bobPublic))
        let bob = try #require(ConnectionCipher(publicKey: Self.bobPublic, privateKey: Self.bobPrivate, otherKey: Self.alicePublic))
        let message = alice.seal(Self.plain, nonce: Self.nonce)
        #expect(message.bytes == Self.sealed)
        #expect(try bob.open(message) == Self.plain)
        #expect(try bob.open(SealedMessage(wire: message.wire)) == Self.plain)
    }

    @Test func changedMessageIsRefused() throws {
        try #require(ConnectionCipher.obstacle == nil)
        let alice = try #require(
            ConnectionCipher(publicKey: Self.alicePublic, privateKey: Self.alicePrivate, otherKey: Self.bobPublic))
        let message = alice.seal([1, 2, 3])
        #expect(try alice.open(message) == [1, 2, 3])
        #expect(try alice.open(alice.seal([])) == [])
        for index in message.bytes.indices {
            var changed = message
            changed.bytes[index] ^= 1
            #expect(throws: ProtocolError.notAuthentic) { try alice.open(changed) }
        }
        var changed = message
        changed.nonce[0] ^= 1
        #expect(throws: ProtocolError.notAuthentic) { try alice.open(changed) }
        changed.nonce = []
        #expect(throws: ProtocolError.malformed) { try alice.open(changed) }
        #expect(throws: ProtocolError.malformed) { try alice.open(SealedMessage(nonce: message.nonce, bytes: [1])) }
        let other = try ConnectionCipher(clientKey: Self.alicePublic)
        #expect(throws: ProtocolError.notAuthentic) { try other.open(message) }
    }

    /// With such a key the shared key is the same for everyone.
    @Test func keyOfSmallOrderIsRefused() throws {
        try #require(ConnectionCipher.obstacle == nil)
        #expect(throws: ProtocolError.unsafeKey) { try ConnectionCipher(clientKey: [UInt8](repeating: 0, count: 32)) }
        #expect(throws: ProtocolError.unsafeKey) { try ConnectionCipher(clientKey: [1] + [UInt8](repeating: 0, count: 31)) }
        #expect(throws: ProtocolError.malformed) { try ConnectionCipher(clientKey: [1, 2]) }
    }

    @Test func eachConnectionHasItsOwnKeys() throws {
        try #require(ConnectionCipher.obstacle == nil)
        let first = try ConnectionCipher(clientKey: Self.alicePublic), second = try ConnectionCipher(clientKey: Self.alicePublic)
        #expect(first.publicKey != second.publicKey && first.publicKeyMessage.count == 44)
        #expect(first.seal([1]).nonce != first.seal([1]).nonce)
        #expect(ConnectionCipher.placeholderKeyMessage().count == 44)
    }
}
