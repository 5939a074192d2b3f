package import AuthModel
internal import CLibraries
internal import Glibc
internal import OAuth

/// Divides the bytes of one client into messages.
///
/// The protocol has no delimiters: its first message is a key of fixed length or a JSON object, and its second one states its length. So
/// each has a recognisable end, however the bytes arrive.
package struct OIDCAgentMessageReader: Sendable {
    /// A message of a client.
    package enum Message: Equatable, Sendable {
        /// A request without encryption: a JSON object.
        case plain([UInt8])
        /// The client's public key for this connection.
        case publicKey([UInt8])
        /// An encrypted request.
        case sealed(OIDCAgentSealedMessage)
    }

    /// The maximum size of a client's messages together, in bytes.
    package static let limit = 1 << 16

    private var bytes: [UInt8] = []
    private var size = 0
    private var hasKey = false
    private var object = ObjectScanner()

    /// Creates a reader for a new connection.
    package init() {}

    /// Adds received bytes. Throws if the client has sent more than ``limit``.
    package mutating func append(_ received: some Collection<UInt8>) throws(OIDCAgentError) {
        size += received.count
        guard size <= Self.limit else { throw .tooLarge }
        bytes.append(contentsOf: received)
    }

    /// Removes and returns the next complete message; `nil` if more bytes are needed. Throws if the bytes cannot become a message.
    package mutating func next() throws(OIDCAgentError) -> Message? {
        bytes.removeFirst(bytes.prefix(while: Self.isFiller).count)
        guard let first = bytes.first else { return nil }
        if hasKey { return try sealed().map { .sealed($0) } }
        if first == UInt8(ascii: "{") { return try plain().map { .plain($0) } }
        return try publicKey().map { .publicKey($0) }
    }

    /// Spaces and line ends, which some clients send after a message, and the NUL at the end of a C string.
    private static func isFiller(_ byte: UInt8) -> Bool { [0, 0x09, 0x0A, 0x0D, 0x20].contains(byte) }

    private mutating func plain() throws(OIDCAgentError) -> [UInt8]? {
        guard let end = object.end(in: bytes) else { return nil }
        guard bytes[end...].allSatisfy(Self.isFiller) else { throw .malformed }
        defer { bytes = [] }
        return Array(bytes[..<end])
    }

    /// The length of a key in base64, with its padding.
    private static let keyLength = 44

    private static func isBase64(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || "+/=".utf8.contains(byte) }

    private mutating func publicKey() throws(OIDCAgentError) -> [UInt8]? {
        guard bytes.prefix(Self.keyLength).allSatisfy(Self.isBase64) else { throw .malformed }
        guard bytes.count >= Self.keyLength else { return nil }
        let key = Base64.decode(String(decoding: bytes.prefix(Self.keyLength), as: UTF8.self))
        // The client needs the answer to this message before it can send another one.
        guard let key, key.count == OIDCAgentCipher.keyLength, bytes[Self.keyLength...].allSatisfy(Self.isFiller) else {
            throw .malformed
        }
        bytes = []
        hasKey = true
        return key
    }

    private mutating func sealed() throws(OIDCAgentError) -> OIDCAgentSealedMessage? {
        guard let complete = try OIDCAgentSealedMessage.length(from: bytes), bytes.count >= complete else { return nil }
        defer { bytes = [] }
        return try OIDCAgentSealedMessage(wire: bytes)
    }
}

/// Finds the end of a JSON object in bytes that arrive in pieces. Each byte is looked at once.
private struct ObjectScanner: Sendable {
    private var position = 0
    private var depth = 0
    private var isInText = false
    private var isEscaped = false

    /// Returns the offset after the object; `nil` if it is incomplete.
    mutating func end(in bytes: [UInt8]) -> Int? {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return position }
            default: break
            }
        }
        return nil
    }
}

/// The reason why the bytes of a client are not a request.
package enum OIDCAgentError: Error, Equatable, Sendable {
    /// The client sent more than ``OIDCAgentMessageReader/limit``.
    case tooLarge
    /// The bytes have not the form of a message.
    case malformed
    /// A message was not encrypted with the keys of its connection, or was changed.
    case notAuthentic
    /// The client's key must not be used, for example because everyone could compute the shared key.
    case unsafeKey

    /// The failure for the client.
    package var failure: AuthFailure {
        switch self {
        case .tooLarge:
            AuthFailure(.usage, UserMessage("agent.request_too_large", ["limit": OIDCAgentMessageReader.limit]))
        case .malformed: AuthFailure(.usage, "oidc_agent.message_malformed", hint: "hint.update_oidc_agent_client")
        case .notAuthentic: AuthFailure(.security, "oidc_agent.message_not_authentic", hint: "hint.try_again")
        case .unsafeKey: AuthFailure(.security, "oidc_agent.key_not_safe", hint: "hint.update_oidc_agent_client")
        }
    }
}

/// The encryption of one connection: NaCl's `crypto_box` with a key pair of the agent that no other connection has.
///
/// The private key is erased as soon as the shared key is computed; the shared key is erased with the connection.
package struct OIDCAgentCipher: Sendable {
    package let publicKey: [UInt8]
    private let sharedKey: Secret

    static let keyLength = Int(CSODIUM_KEY_BYTES)
    static let nonceLength = Int(CSODIUM_NONCE_BYTES)
    static let tagLength = Int(CSODIUM_TAG_BYTES)

    /// The reason why no message can be encrypted on this machine; `nil` if libsodium is available.
    package static var obstacle: AuthFailure? {
        guard let failure = csodium_load()?.pointee else { return nil }
        return AuthFailure(
            .configuration, UserMessage("oidc_agent.no_libsodium", ["detail": String(cString: failure.reason)]),
            hint: failure.is_missing ? "hint.install_libsodium" : "hint.reinstall_libsodium")
    }

    /// Creates the keys for a client. Throws ``OIDCAgentError/unsafeKey`` if the client's key must not be used. Only without ``obstacle``.
    package init(clientKey: [UInt8]) throws(OIDCAgentError) {
        guard clientKey.count == Self.keyLength else { throw .malformed }
        var publicKey = [UInt8](repeating: 0, count: Self.keyLength)
        let shared: Secret? = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * Self.keyLength) { keys in
            guard let base = keys.baseAddress else { return nil }
            defer { explicit_bzero(base, keys.count) }
            let own = base, shared = base + Self.keyLength
            guard csodium_key_pair(&publicKey, own), csodium_shared_key(shared, clientKey, own) else { return nil }
            return Secret(bytes: UnsafeBufferPointer(start: shared, count: Self.keyLength))
        }
        guard let shared else { throw .unsafeKey }
        self.publicKey = publicKey
        sharedKey = shared
    }

    /// Creates the cipher of a client, or of a test, that knows both keys. Returns `nil` if the other side's key must not be used.
    init?(publicKey: [UInt8], privateKey: [UInt8], otherKey: [UInt8]) {
        guard [publicKey, privateKey, otherKey].allSatisfy({ $0.count == Self.keyLength }) else { return nil }
        var shared = [UInt8](repeating: 0, count: Self.keyLength)
        guard csodium_shared_key(&shared, otherKey, privateKey) else { return nil }
        self.publicKey = publicKey
        sharedKey = Secret(bytes: shared)
    }

    /// The agent's public key as it is sent.
    package var publicKeyMessage: [UInt8] { Array(Base64.encode(publicKey).utf8) }

    /// Returns random bytes in the form of a public key: the answer to a client while there is no libsodium, so that the client sends its
    /// request and reads the failure that answers it.
    package static func placeholderKeyMessage() -> [UInt8] {
        Array(Base64.encode([UInt8].random(count: keyLength)).utf8)
    }

    /// Encrypts a message with a random nonce.
    package func seal(_ plain: [UInt8]) -> OIDCAgentSealedMessage { seal(plain, nonce: .random(count: Self.nonceLength)) }

    /// Encrypts a message. The nonce must be new.
    func seal(_ plain: [UInt8], nonce: [UInt8]) -> OIDCAgentSealedMessage {
        var sealed = [UInt8](repeating: 0, count: plain.count + Self.tagLength)
        let isSealed = sharedKey.withBytes { key in
            key.bindMemory(to: UInt8.self).baseAddress.map { csodium_seal(&sealed, plain, plain.count, nonce, $0) } ?? false
        }
        precondition(isSealed, "crypto_box refuses only messages of more than 2^64 bytes")
        return OIDCAgentSealedMessage(nonce: nonce, bytes: sealed)
    }

    /// Decrypts a message. Throws ``OIDCAgentError/notAuthentic`` if it is not from the other side.
    package func open(_ message: OIDCAgentSealedMessage) throws(OIDCAgentError) -> [UInt8] {
        guard message.nonce.count == Self.nonceLength, message.bytes.count >= Self.tagLength else { throw .malformed }
        // One byte more, so that an empty message has an address.
        var plain = [UInt8](repeating: 0, count: message.bytes.count - Self.tagLength + 1)
        let isAuthentic = sharedKey.withBytes { key in
            key.bindMemory(to: UInt8.self).baseAddress.map {
                csodium_open(&plain, message.bytes, message.bytes.count, message.nonce, $0)
            } ?? false
        }
        guard isAuthentic else { throw .notAuthentic }
        plain.removeLast()
        return plain
    }
}

/// An encrypted message: the length of its plain text, a nonce and the encrypted bytes, the last two in base64, with colons between them.
package struct OIDCAgentSealedMessage: Equatable, Sendable {
    /// The nonce, which no other message of the connection has.
    package var nonce: [UInt8]
    /// The authentication tag and the encrypted bytes.
    package var bytes: [UInt8]

    package init(nonce: [UInt8], bytes: [UInt8]) {
        self.nonce = nonce
        self.bytes = bytes
    }

    /// The length of a nonce in base64; it needs no padding.
    private static let nonceLength = 32
    private static let colon = UInt8(ascii: ":")

    /// The length of the whole message that these bytes begin; `nil` if it is not known yet. Throws if they begin none.
    static func length(from bytes: [UInt8]) throws(OIDCAgentError) -> Int? {
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count <= 6 else { throw .malformed }
        guard digits.count < bytes.count else { return nil }
        guard bytes[digits.count] == colon, let count = Int(String(decoding: digits, as: UTF8.self)), count < OIDCAgentMessageReader.limit
        else {
            throw .malformed
        }
        return digits.count + 2 + nonceLength + (count + OIDCAgentCipher.tagLength + 2) / 3 * 4
    }

    /// Reads a message. Its first part is not used, because clients count characters or bytes, and the tag says what the length is.
    package init(wire: [UInt8]) throws(OIDCAgentError) {
        let parts = wire.split(separator: Self.colon, omittingEmptySubsequences: false)
        guard parts.count == 3, let nonce = Self.decoded(parts[1]), nonce.count == OIDCAgentCipher.nonceLength,
            let bytes = Self.decoded(parts[2]), bytes.count >= OIDCAgentCipher.tagLength
        else { throw .malformed }
        self.init(nonce: nonce, bytes: bytes)
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let end = text.reversed().prefix { [0, 0x0A, 0x0D, 0x20].contains($0) }.count
        return Base64.decode(String(decoding: text.dropLast(end), as: UTF8.self))
    }

    /// The bytes to send.
    package var wire: [UInt8] {
        Array("\(bytes.count - OIDCAgentCipher.tagLength):\(Base64.encode(nonce)):\(Base64.encode(bytes))".utf8)
    }
}
