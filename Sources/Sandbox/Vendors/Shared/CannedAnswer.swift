import AuthModel

/// An answer in the place of the system's own, for one path: what a broken or hostile system might say.
public struct CannedAnswer: Equatable, Sendable {
    public var path: String
    public var status: Int
    public var headers: [String: String]
    /// Sent as it is, without a Content-Type where ``headers`` has none.
    public var body: String
    /// Whether it is given once only, and the system itself answers from then on.
    public var isForOnce: Bool
    /// Whether nothing is ever answered.
    public var isSilent: Bool

    public init(
        at path: String, status: Int = 200, headers: [String: String] = [:], body: String = "", isForOnce: Bool = false,
        isSilent: Bool = false
    ) {
        self.path = path
        self.status = status
        self.headers = headers
        self.body = body
        self.isForOnce = isForOnce
        self.isSilent = isSilent
    }

    /// From a member of the knob `answers`; `nil` for anything else.
    init?(_ json: JSONValue) {
        guard let path = json["path"]?.string, path.hasPrefix("/") else { return nil }
        let status = json["status"] ?? .number(200)
        guard let status = status.integer, (200...599).contains(status) else { return nil }
        var headers: [String: String] = [:]
        for member in json["headers"]?.members ?? [] {
            guard let value = member.value.string else { return nil }
            headers[member.name] = value
        }
        self.init(
            at: path, status: Int(status), headers: headers, body: json["body"]?.string ?? "", isForOnce: json["once"]?.bool ?? false,
            isSilent: json["silent"]?.bool ?? false)
    }

    var json: JSONValue {
        [
            "path": .string(path), "status": .number(status),
            "headers": .object(headers.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }), "body": .string(body),
            "once": .bool(isForOnce), "silent": .bool(isSilent),
        ]
    }

    /// As it is sent to `request`: `{origin}` is the system's own address, `{NAME}` the parameter of that name in the query.
    func answer(to request: SandboxRequest, at origin: String) -> Answer {
        func filled(_ text: String) -> String {
            var text = text.replacing("{origin}", with: origin)
            for (name, value) in request.query { text = text.replacing("{\(name)}", with: value) }
            return text
        }
        var answer = Answer(
            status: status, headers: headers.sorted { $0.key < $1.key }.map { ($0.key, filled($0.value)) },
            body: .bytes(Array(filled(body).utf8)))
        if isSilent { answer.delivery = .never }
        return answer
    }
}
