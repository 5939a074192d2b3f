package import AuthModel
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
