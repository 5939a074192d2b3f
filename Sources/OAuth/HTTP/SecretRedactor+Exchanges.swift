internal import AuthModel

extension SecretRedactor {
    /// Collects the secrets of a request: form fields, JSON members and the credential in the `Authorization` field.
    public init(of request: WebRequest) {
        var values: [Secret] = []
        if request.method == .post, let pairs = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)) {
            values = pairs.filter { Self.secretFields.contains($0.name) }.map { Secret($0.value) }
        }
        values += Self.secrets(in: request.body)
        for header in request.headers where header.name.asciiLowercased() == "authorization" {
            guard let credential = header.value.split(separator: " ").last else { continue }
            values.append(Secret(credential))
            // Basic authentication contains the secret in another encoding (RFC 7617).
            guard header.value.asciiLowercased().hasPrefix("basic "), let pair = Base64.decode(String(credential)),
                let colon = pair.firstIndex(of: UInt8(ascii: ":"))
            else { continue }
            let password = String(decoding: pair[pair.index(after: colon)...], as: UTF8.self)
            values += [Secret(password), Secret(FormEncoding.unescape(password) ?? "")]
        }
        self.init(values)
    }

    /// Collects the secrets of the response to a POST: issued tokens and codes.
    public init(of answer: WebResponse, to request: WebRequest) {
        self.init(request.method == .post ? Self.secrets(in: answer.body) : [])
    }

    private static let secretFields: Set<String> = [
        "code", "code_verifier", "refresh_token", "access_token", "id_token", "token", "device_code", "client_secret", "client_assertion",
        "assertion", "subject_token", "actor_token", "id_token_hint", "password", "registration_access_token",
    ]

    private static func secrets(in body: [UInt8]) -> [Secret] {
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let document = try? JSONValue(strict: body) else { return [] }
        return secrets(in: document)
    }

    /// Some services nest their tokens, or send several.
    private static func secrets(in value: JSONValue) -> [Secret] {
        switch value {
        case .object(let members):
            members.flatMap { member in
                if let text = member.value.string { return secretFields.contains(member.name) ? [Secret(text)] : [] }
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
