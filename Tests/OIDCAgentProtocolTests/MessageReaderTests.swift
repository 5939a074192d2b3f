import AuthModel
import OAuth
@testable import OIDCAgentProtocol
import Testing

/// Where a client's messages end, however their bytes arrive, and what is refused.
struct MessageReaderTests {
    private static let key = [UInt8](1...32)
    private static let keyMessage = Array(Base64.encode(key).utf8)
    private static let sealed = SealedMessage(nonce: [UInt8](1...24), bytes: [UInt8](repeating: 7, count: 16 + 25))

    /// Returns the messages of bytes that arrive in pieces of this size.
    private func messages(_ bytes: [UInt8], pieces: Int) throws -> [MessageReader.Message] {
        var reader = MessageReader()
        var messages: [MessageReader.Message] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try reader.append(bytes[start..<min(start + pieces, bytes.count)])
            while let message = try reader.next() { messages.append(message) }
        }
        return messages
    }

    @Test(arguments: [1, 3, 44, 1000])
    func keyAndSealedMessageHaveAnEnd(pieces: Int) throws {
        #expect(try messages(Self.keyMessage, pieces: pieces) == [.publicKey(Self.key)])
        var reader = MessageReader()
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
        var reader = MessageReader()
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
        #expect(throws: ProtocolError.malformed) { try messages(Array(text.utf8), pieces: 1000) }
    }

    @Test(arguments: [
        ":", "x:y:z", "-1:AAAA:AAAA", "9999999:AAAA:AAAA", "99999:AAAA", "3:" + String(repeating: "?", count: 200),
        "3:AAAA:" + String(repeating: "A", count: 60),
    ])
    func malformedSealedMessageIsRefused(text: String) throws {
        var reader = MessageReader()
        try reader.append(Self.keyMessage)
        _ = try reader.next()
        try reader.append(Array(text.utf8))
        #expect(throws: ProtocolError.malformed) { try reader.next() }
    }

    @Test func sizeIsLimited() throws {
        var reader = MessageReader()
        try reader.append([UInt8(ascii: "{")] + [UInt8](repeating: UInt8(ascii: "["), count: MessageReader.limit - 1))
        #expect(try reader.next() == nil)
        #expect(throws: ProtocolError.tooLarge) { try reader.append([1]) }
    }

    /// Random bytes end in a message, in an error or in waiting for more; never in a crash.
    @Test func randomBytesAreHarmless() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var reader = MessageReader()
            let alphabet: [UInt8] = Bool.random(using: &generator) ? Array(#"{}[]":\,019AZaz+/= "#.utf8) : Array(0...255)
            do throws(ProtocolError) {
                if Bool.random(using: &generator) {
                    try reader.append(Self.keyMessage)
                    _ = try reader.next()
                }
                for _ in 0..<8 {
                    try reader.append((0..<Int.random(in: 0...60)).compactMap { _ in alphabet.randomElement(using: &generator) })
                    while let message = try reader.next() {
                        if case .plain(let bytes) = message { _ = try? ClientRequest(bytes) }
                    }
                }
            } catch {
                #expect(!error.failure.message.code.isEmpty)
            }
        }
    }
}
