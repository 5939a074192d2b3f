import AuthModel

/// Removes secrets of HTTP exchanges from error texts.
///
/// Servers sometimes repeat codes and tokens in their error descriptions, and errors are shown, logged and shared. The redactor stores only
/// hashes of secret fragments, with a per-process seed, so that it can recognize a secret but not restore it.
public struct SecretRedactor: Sendable {
    private struct Fragment: Hashable {
        let length: Int
        let hash: Int
    }

    /// One set per exchange, so that adding an exchange copies no set.
    private var exchanges: [Set<Fragment>]
    /// The number of exchanges to remember. Older ones are dropped.
    private static let exchangeLimit = 24

    /// A redactor without secrets.
    public static let none = SecretRedactor()

    private init() { exchanges = [] }

    init(_ values: [Secret]) {
        exchanges = []
        var pieces: Set<Fragment> = []
        for value in values where value.count >= Self.minimumLength {
            let length = min(value.count, Self.pieceLength)
            value.withBytes { bytes in
                for start in 0...min(bytes.count - length, Self.pieceLimit) { pieces.insert(Self.piece(bytes, start, length)) }
                // Also covers the end of a long secret.
                for start in max(0, bytes.count - length - Self.pieceLimit)...bytes.count - length {
                    pieces.insert(Self.piece(bytes, start, length))
                }
            }
        }
        if !pieces.isEmpty { exchanges = [pieces] }
    }

    /// Adds the secrets of later exchanges and drops the oldest ones beyond the limit.
    public mutating func add(_ later: SecretRedactor) {
        exchanges = (exchanges + later.exchanges).suffix(Self.exchangeLimit)
    }

    /// The minimum length of a secret, in bytes. A shorter one may occur in a text by coincidence.
    private static let minimumLength = 6
    /// The length of a fragment that identifies a longer secret, in bytes.
    private static let pieceLength = 12
    /// The number of fragments to hash at the beginning and at the end of a long secret.
    private static let pieceLimit = 128
    /// The maximum length of text to search, in bytes. Texts are cut to less before they are shown.
    static let textLength = 1024

    private static func piece(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ length: Int) -> Fragment {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
        return Fragment(length: length, hash: hasher.finalize())
    }

    /// Returns `text` with secrets, and fragments of longer secrets, replaced by `[hidden]`.
    public func hiding(in text: String) -> String {
        guard !exchanges.isEmpty else { return text }
        let bytes = Array(text.utf8.prefix(Self.textLength))
        var isHidden = [Bool](repeating: false, count: bytes.count)
        bytes.withUnsafeBytes { bytes in
            for length in Self.minimumLength...Self.pieceLength where length <= bytes.count {
                for start in 0...bytes.count - length {
                    let piece = Self.piece(bytes, start, length)
                    guard exchanges.contains(where: { $0.contains(piece) }) else { continue }
                    for index in start..<start + length { isHidden[index] = true }
                }
            }
        }
        guard isHidden.contains(true) else { return text }
        var shown: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if !isHidden[index] {
                shown.append(byte)
            } else if index == 0 || !isHidden[index - 1] {
                shown += Array("[hidden]".utf8)
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }
}

extension SecretRedactor {
    /// Collects the secrets of a request: form fields, those of the query, JSON members and the credentials in header fields.
    public init(of request: WebRequest) {
        var values: [Secret] = []
        for text in [request.method == .get ? "" : String(decoding: request.body, as: UTF8.self), request.url.query ?? ""] {
            values += (FormEncoding.decode(text) ?? []).filter { Self.isSecret($0.name) }.map { Secret($0.value) }
        }
        values += Self.secrets(in: request.body)
        for header in request.headers where Self.isCredential(header.name) {
            guard let credential = header.value.split(separator: " ").last else { continue }
            values.append(Secret(credential))
            // Etsy's field has the client's ID and its secret.
            values += credential.split(separator: ":").map { Secret($0) }
            // Basic authentication contains the secret in another encoding (RFC 7617).
            guard header.value.asciiLowercased().hasPrefix("basic "), let pair = Base64.decode(String(credential)),
                let colon = pair.firstIndex(of: UInt8(ascii: ":"))
            else { continue }
            let password = String(decoding: pair[pair.index(after: colon)...], as: UTF8.self)
            values += [Secret(password), Secret(FormEncoding.unescape(password) ?? "")]
        }
        self.init(values)
    }

    /// Whether a header field has a credential: `Authorization`, or a service's own field, such as `X-Shopify-Access-Token` or `X-Api-Key`.
    public static func isCredential(_ name: String) -> Bool {
        let name = name.asciiLowercased()
        return ["auth", "key", "secret", "token"].contains { name.contains($0) }
    }

    /// Collects the secrets of the response to a POST, or to a token request in a query: issued tokens and codes.
    public init(of answer: WebResponse, to request: WebRequest) {
        self.init(request.method == .post || request.isTokenQuery ? Self.secrets(in: answer.body) : [])
    }

    /// The names of fields with a secret, without their underscores: AWS writes `refreshToken`.
    private static let secretFields = Set(
        [
            "code", "code_verifier", "refresh_token", "access_token", "id_token", "token", "device_code", "client_secret",
            "client_assertion", "secret", "app_secret", "assertion", "subject_token", "actor_token", "id_token_hint", "password",
            "registration_access_token", "auth_code", "fb_exchange_token", "oauth_token", "code_a", "code_b", "secret_access_key",
            "session_token",
        ].map { $0.filter { $0 != "_" } })

    /// Whether a parameter of this name has a secret, which errors hide.
    public static func isSecret(_ name: String) -> Bool { secretFields.contains(name.asciiLowercased().filter { $0 != "_" }) }

    private static func secrets(in body: [UInt8]) -> [Secret] {
        let text = body.withoutByteOrderMark
        guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let document = try? JSONValue(strict: text) else { return [] }
        return secrets(in: document)
    }

    /// Some services nest their tokens, or send several.
    private static func secrets(in value: JSONValue) -> [Secret] {
        switch value {
        case .object(let members):
            members.flatMap { member in
                if let text = member.value.string { return isSecret(member.name) ? [Secret(text)] : [] }
                return secrets(in: member.value)
            }
        case .array(let elements): elements.flatMap { secrets(in: $0) }
        default: []
        }
    }
}

extension WebResponse {
    /// Returns this response with a redactor, so that errors read from it repeat no secrets.
    public func keeping(_ redactor: SecretRedactor) -> WebResponse {
        var answer = self
        answer.redactor = redactor
        return answer
    }
}
