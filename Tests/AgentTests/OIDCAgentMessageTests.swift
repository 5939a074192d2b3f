import AuthModel
import OAuth
@testable import Agent
import TestSupport
import Testing

/// Where a client's messages end, however their bytes arrive, and what is refused.
@Suite(.startsPrograms) struct MessageReaderTests {
    private static let key = [UInt8](1...32)
    private static let keyMessage = Array(Base64.encode(key).utf8)
    private static let sealed = OIDCAgentSealedMessage(nonce: [UInt8](1...24), bytes: [UInt8](repeating: 7, count: 16 + 25))

    /// Returns the messages of bytes that arrive in pieces of this size.
    private func messages(_ bytes: [UInt8], pieces: Int) throws -> [OIDCAgentMessageReader.Message] {
        var reader = OIDCAgentMessageReader()
        var messages: [OIDCAgentMessageReader.Message] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try reader.append(bytes[start..<min(start + pieces, bytes.count)])
            while let message = try reader.next() { messages.append(message) }
        }
        return messages
    }

    @Test(arguments: [1, 3, 44, 1000])
    func keyAndSealedMessageHaveAnEnd(pieces: Int) throws {
        #expect(try messages(Self.keyMessage, pieces: pieces) == [.publicKey(Self.key)])
        var reader = OIDCAgentMessageReader()
        try reader.append(Self.keyMessage)
        #expect(try reader.next() == .publicKey(Self.key))
        let wire = Self.sealed.wire
        for start in stride(from: 0, to: wire.count, by: pieces) {
            #expect(try reader.next() == nil)
            try reader.append(wire[start..<min(start + pieces, wire.count)])
        }
        #expect(try reader.next() == .sealed(Self.sealed))
    }

    @Test(arguments: [1, 2, 1000])
    func plainRequestEndsWithItsObject(pieces: Int) throws {
        let request = Array(#"{"request":"check","a":{"b":["}",{}]},"c":"\"}"}"#.utf8)
        #expect(try messages(request, pieces: pieces) == [.plain(request)])
        #expect(try messages(request + [0x0A, 0], pieces: 1000) == [.plain(request)])
        #expect(try messages(Array(request.dropLast()), pieces: pieces) == [])
    }

    /// Python's client counts characters; liboidc-agent counts bytes.
    @Test func statedLengthMayBeTooSmall() throws {
        var reader = OIDCAgentMessageReader()
        try reader.append(Self.keyMessage)
        _ = try reader.next()
        let wire = String(decoding: Self.sealed.wire, as: UTF8.self)
        try reader.append(Array(("2" + wire.drop { $0 != ":" }).utf8))
        #expect(try reader.next() == .sealed(Self.sealed))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: yett\r\n\r\n", "\u{1B}[2J", "SSH-2.0-OpenSSH_9.2", String(repeating: "A", count: 44),
        String(repeating: "=", count: 44), #"{"a":1}{"b":2}"#,
    ])
    func otherProtocolsAreRefused(text: String) {
        #expect(throws: OIDCAgentError.malformed) { try messages(Array(text.utf8), pieces: 1000) }
    }

    @Test(arguments: [
        ":", "x:y:z", "-1:AAAA:AAAA", "9999999:AAAA:AAAA", "99999:AAAA", "3:" + String(repeating: "?", count: 200),
        "3:AAAA:" + String(repeating: "A", count: 60),
    ])
    func malformedSealedMessageIsRefused(text: String) throws {
        var reader = OIDCAgentMessageReader()
        try reader.append(Self.keyMessage)
        _ = try reader.next()
        try reader.append(Array(text.utf8))
        #expect(throws: OIDCAgentError.malformed) { try reader.next() }
    }

    @Test func sizeIsLimited() throws {
        var reader = OIDCAgentMessageReader()
        try reader.append([UInt8(ascii: "{")] + [UInt8](repeating: UInt8(ascii: "["), count: OIDCAgentMessageReader.limit - 1))
        #expect(try reader.next() == nil)
        #expect(throws: OIDCAgentError.tooLarge) { try reader.append([1]) }
    }

    /// Random bytes end in a message, in an error or in waiting for more; never in a crash.
    @Test func randomBytesAreHarmless() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var reader = OIDCAgentMessageReader()
            let alphabet: [UInt8] = Bool.random(using: &generator) ? Array(#"{}[]":\,019AZaz+/= "#.utf8) : Array(0...255)
            do throws(OIDCAgentError) {
                if Bool.random(using: &generator) {
                    try reader.append(Self.keyMessage)
                    _ = try reader.next()
                }
                for _ in 0..<8 {
                    try reader.append((0..<Int.random(in: 0...60)).compactMap { _ in alphabet.randomElement(using: &generator) })
                    while let message = try reader.next() {
                        if case .plain(let bytes) = message { _ = try? OIDCAgentRequest(bytes) }
                    }
                }
            } catch {
                #expect(!error.failure.message.code.isEmpty)
            }
        }
    }
}

/// The encryption of a connection, against the published vectors of NaCl (`tests/box.c`, `tests/box2.c`).
@Suite(.startsPrograms) struct ConnectionCipherTests {
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
        try #require(OIDCAgentCipher.obstacle == nil)
        let alice = try #require(
            OIDCAgentCipher(publicKey: Self.alicePublic, privateKey: Self.alicePrivate, otherKey: Self.bobPublic))
        let bob = try #require(OIDCAgentCipher(publicKey: Self.bobPublic, privateKey: Self.bobPrivate, otherKey: Self.alicePublic))
        let message = alice.seal(Self.plain, nonce: Self.nonce)
        #expect(message.bytes == Self.sealed)
        #expect(try bob.open(message) == Self.plain)
        #expect(try bob.open(OIDCAgentSealedMessage(wire: message.wire)) == Self.plain)
    }

    @Test func changedMessageIsRefused() throws {
        try #require(OIDCAgentCipher.obstacle == nil)
        let alice = try #require(
            OIDCAgentCipher(publicKey: Self.alicePublic, privateKey: Self.alicePrivate, otherKey: Self.bobPublic))
        let message = alice.seal([1, 2, 3])
        #expect(try alice.open(message) == [1, 2, 3])
        #expect(try alice.open(alice.seal([])) == [])
        for index in message.bytes.indices {
            var changed = message
            changed.bytes[index] ^= 1
            #expect(throws: OIDCAgentError.notAuthentic) { try alice.open(changed) }
        }
        var changed = message
        changed.nonce[0] ^= 1
        #expect(throws: OIDCAgentError.notAuthentic) { try alice.open(changed) }
        changed.nonce = []
        #expect(throws: OIDCAgentError.malformed) { try alice.open(changed) }
        #expect(throws: OIDCAgentError.malformed) { try alice.open(OIDCAgentSealedMessage(nonce: message.nonce, bytes: [1])) }
        let other = try OIDCAgentCipher(clientKey: Self.alicePublic)
        #expect(throws: OIDCAgentError.notAuthentic) { try other.open(message) }
    }

    /// With such a key the shared key is the same for everyone.
    @Test func keyOfSmallOrderIsRefused() throws {
        try #require(OIDCAgentCipher.obstacle == nil)
        #expect(throws: OIDCAgentError.unsafeKey) { try OIDCAgentCipher(clientKey: [UInt8](repeating: 0, count: 32)) }
        #expect(throws: OIDCAgentError.unsafeKey) { try OIDCAgentCipher(clientKey: [1] + [UInt8](repeating: 0, count: 31)) }
        #expect(throws: OIDCAgentError.malformed) { try OIDCAgentCipher(clientKey: [1, 2]) }
    }

    @Test func eachConnectionHasItsOwnKeys() throws {
        try #require(OIDCAgentCipher.obstacle == nil)
        let first = try OIDCAgentCipher(clientKey: Self.alicePublic), second = try OIDCAgentCipher(clientKey: Self.alicePublic)
        #expect(first.publicKey != second.publicKey && first.publicKeyMessage.count == 44)
        #expect(first.seal([1]).nonce != first.seal([1]).nonce)
        #expect(OIDCAgentCipher.placeholderKeyMessage().count == 44)
    }
}

/// Text of other programs on one line.
@Suite(.startsPrograms) struct OneLineTests {
    @Test func limitCountsBytes() {
        let giant = "e" + String(repeating: "\u{301}", count: 10_000)
        #expect(giant.oneLine(limit: 64).utf8.count <= 64)
        #expect("a\nb\u{202E}c".oneLine(limit: 64) == "a?b?c")
    }
}
