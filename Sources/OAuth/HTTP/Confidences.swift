internal import AuthModel

/// What a request said to its server in confidence, so that no error repeats it where the server does.
///
/// Servers quote codes and tokens in what they say about them, by mistake or on purpose; an error is shown, logged and sent to colleagues.
public struct Confidences: Sendable {
    private let values: [Secret]

    /// Nothing was said in confidence.
    public static let none = Confidences([])

    init(_ values: [Secret]) { self.values = values.filter { $0.count >= Self.leastLength } }

    /// The fields of a form, or members of a JSON object, that are secret, and the credential of the `Authorization` field.
    init(of request: WebRequest) {
        var values: [Secret] = []
        if request.method == .post, let pairs = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)) {
            values = pairs.filter { Self.secretFields.contains($0.name) }.map { Secret($0.value) }
        }
        if let members = (try? JSONValue(strict: request.body))?.members {
            values += members.filter { Self.secretFields.contains($0.name) }.compactMap { $0.value.string.map { Secret($0) } }
        }
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

    private static let secretFields: Set<String> = [
        "code", "code_verifier", "refresh_token", "access_token", "token", "device_code", "client_secret", "client_assertion", "assertion",
        "subject_token", "actor_token", "id_token_hint", "password",
    ]

    /// What is shorter may stand in a text by chance.
    private static let leastLength = 6
    /// So much of a longer one gives it away.
    private static let pieceLength = 12
    /// Texts are cut to a fraction of this before they are shown.
    private static let textLength = 4096

    /// `text` without what was said in confidence, and without longer pieces of it; `[hidden]` stands in their place.
    public func hiding(in text: String) -> String {
        guard !values.isEmpty else { return text }
        let bytes = Array(text.utf8.prefix(Self.textLength))
        var isHidden = [Bool](repeating: false, count: bytes.count)
        for value in values {
            let length = min(value.count, Self.pieceLength)
            guard length <= bytes.count else { continue }
            let pieces = value.withBytes { secret in
                Set((0...secret.count - length).map { Array(secret[$0..<$0 + length]) })
            }
            for start in 0...bytes.count - length where pieces.contains(Array(bytes[start..<start + length])) {
                for index in start..<start + length { isHidden[index] = true }
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
    /// The answer to `request`: errors that are read from it do not repeat what that said in confidence.
    public func answering(_ request: WebRequest) -> WebResponse {
        var answer = self
        answer.confidences = Confidences(of: request)
        return answer
    }
}
