import AuthModel

/// A predefined response for one path in place of the system's own, such as one of a broken or hostile system.
public struct PredefinedResponse: Equatable, Sendable {
    /// The path of the requests to answer.
    public var path: String
    /// The status code.
    public var status: Int
    /// The header fields.
    public var headers: [String: String]
    /// The body, sent unchanged; without a Content-Type unless ``headers`` has one.
    public var body: String
    /// Whether to send it only once.
    public var isForOnce: Bool
    /// Whether to send no response at all.
    public var isSilent: Bool

    /// Creates a response for a path.
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

    /// Parses a member of the setting `answers`; `nil` if it is invalid.
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

    /// Returns the response to `request`. Replaces `{origin}` by the system's address, and `{NAME}` by the query parameter of that name.
    func answer(to request: SandboxRequest, at origin: String) -> SandboxResponse {
        func filled(_ text: String) -> String {
            var text = text.replacing("{origin}", with: origin)
            for (name, value) in request.query { text = text.replacing("{\(name)}", with: value) }
            return text
        }
        var answer = SandboxResponse(
            status: status, headers: headers.sorted { $0.key < $1.key }.map { ($0.key, filled($0.value)) },
            body: .bytes(Array(filled(body).utf8)))
        if isSilent { answer.delivery = .never }
        return answer
    }
}

/// The page of a vendor's system on which the user chooses an account or denies.
///
/// The form carries the request's own parameters, so that the response depends only on them.
enum AccountChooserPage {
    static let username = "sandbox_username"

    static func answer(title: String, action: String, parameters: [(name: String, value: String)], returnsTo redirect: String?)
        -> SandboxResponse
    {
        let hidden: [HTML] = parameters.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" }
        let users: [HTML] = SandboxUser.standard.map {
            "<button name=\"\(username)\" value=\"\($0.username)\">\($0.name)</button>\n"
        }
        let target = redirect.flatMap(WebURL.init)?.origin.description
        return Page.answer(
            title: title,
            """
            <form method="post" action="\(action)">
            \(hidden)\(users)
            <button class="plain" name="\(username)" value="">Cancel</button>
            </form>
            """, formTargets: target.map { [$0] } ?? [])
    }
}
