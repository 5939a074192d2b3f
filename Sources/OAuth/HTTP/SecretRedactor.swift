internal import AuthModel

/// What was said in confidence to servers, and by them, so that no error repeats it where one of them does.
///
/// Servers quote codes and tokens in what they say about them, by mistake or on purpose; an error is shown, logged and sent to colleagues.
/// What is kept here is enough to know a secret by, and not to make it again: hashes of its pieces, under a seed of this process.
public struct SecretRedactor: Sendable {
    private struct Piece: Hashable {
        let length: Int
        let hash: Int
    }

    /// One set for each exchange, so that adding one copies none.
    private var exchanges: [Set<Piece>]
    /// Older exchanges are forgotten.
    private static let exchangeLimit = 24

    /// Nothing was said in confidence.
    public static let none = SecretRedactor()

    private init() { exchanges = [] }

    init(_ values: [Secret]) {
        exchanges = []
        var pieces: Set<Piece> = []
        for value in values where value.count >= Self.leastLength {
            let length = min(value.count, Self.pieceLength)
            value.withBytes { bytes in
                for start in 0...min(bytes.count - length, Self.pieceLimit) { pieces.insert(Self.piece(bytes, start, length)) }
                // The end of a long one as well.
                for start in max(0, bytes.count - length - Self.pieceLimit)...bytes.count - length {
                    pieces.insert(Self.piece(bytes, start, length))
                }
            }
        }
        if !pieces.isEmpty { exchanges = [pieces] }
    }

    /// What is secret of a request: fields of a form or members of a JSON object, and the credential of the `Authorization` field.
    public init(of request: WebRequest) {
        var values: [Secret] = []
        if request.method == .post, let pairs = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)) {
            values = pairs.filter { Self.secretFields.contains($0.name) }.map { Secret($0.value) }
        }
        values += Self.secrets(in: request.body)
        for header in request.headers where header.name.lowercased() == "authorization" {
            guard let credential = header.value.split(separator: " ").last else { continue }
            values.append(Secret(credential))
            // RFC 7617: the secret stands in it in another coding.
            guard header.value.lowercased().hasPrefix("basic "), let pair = Base64.decode(String(credential)),
                let colon = pair.firstIndex(of: UInt8(ascii: ":"))
            else { continue }
            let password = String(decoding: pair[pair.index(after: colon)...], as: UTF8.self)
            values += [Secret(password), Secret(FormEncoding.unescape(password) ?? "")]
        }
        self.init(values)
    }

    /// What is secret of the answer to a form: tokens and codes that were given.
    public init(of answer: WebResponse, to request: WebRequest) {
        self.init(request.method == .post ? Self.secrets(in: answer.body) : [])
    }

    /// Remembers what was said in `later` as well, and in time forgets what was said long before.
    public mutating func add(_ later: SecretRedactor) {
        exchanges = (exchanges + later.exchanges).suffix(Self.exchangeLimit)
    }

    private static let secretFields: Set<String> = [
        "code", "code_verifier", "refresh_token", "access_token", "id_token", "token", "device_code", "client_secret", "client_assertion",
        "assertion", "subject_token", "actor_token", "id_token_hint", "password", "registration_access_token",
    ]

    private static func secrets(in body: [UInt8]) -> [Secret] {
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let members = (try? JSONValue(strict: body))?.members else {
            return []
        }
        return members.filter { secretFields.contains($0.name) }.compactMap { $0.value.string.map { Secret($0) } }
    }

    /// What is shorter may stand in a text by chance.
    private static let leastLength = 6
    /// So much of a longer one gives it away, in bytes.
    private static let pieceLength = 12
    /// Of what is much longer than a code, the beginning and the end are known.
    private static let pieceLimit = 128
    /// Texts are cut to less than this before they are shown.
    private static let textLength = 1024

    private static func piece(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ length: Int) -> Piece {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
        return Piece(length: length, hash: hasher.finalize())
    }

    /// `text` without what was said in confidence, and without longer pieces of it; `[hidden]` stands in their place.
    public func hiding(in text: String) -> String {
        guard !exchanges.isEmpty else { return text }
        let bytes = Array(text.utf8.prefix(Self.textLength))
        var isHidden = [Bool](repeating: false, count: bytes.count)
        bytes.withUnsafeBytes { bytes in
            for length in Self.leastLength...Self.pieceLength where length <= bytes.count {
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

extension WebResponse {
    /// This answer, where errors that are read from it do not repeat what was said in confidence.
    public func keeping(_ redactor: SecretRedactor) -> WebResponse {
        var answer = self
        answer.redactor = redactor
        return answer
    }
}
