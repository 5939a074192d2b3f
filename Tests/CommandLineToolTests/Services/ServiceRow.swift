import Foundation
import TOML
import Testing

/// A service as its documentation describes it: what it is sent, what it answers, and what Yett makes of it. The rows stand in
/// `Tests/Services/FAMILY.toml`, with the source of each fact; `AddingAService.md` explains their keys.
struct ServiceRow: Sendable, CustomTestStringConvertible {
    /// One answer, and the requests that it is for.
    struct Answer: Sendable {
        /// The method and the URL, without its query.
        var request: String
        /// Query parameters that must be so. In all conditions, `*` stands for any value, and `-` for none.
        var query: [String: String] = [:]
        /// Members of the form that must be so; `nil` if a form is not required.
        var form: [String: String]?
        /// Members of the JSON body that must be so; `nil` if JSON is not required.
        var json: [String: String]?
        var headers: [String: String] = [:]
        var status = 200
        var body = ""
        var contentType = "application/json"
        var responseHeaders: [(name: String, value: String)] = []
        var isUsedOnce = false
    }

    /// What the browser is sent to, and what the service adds to its callback.
    struct Authorization: Sendable {
        var url: String
        var parameters: [String: String]
        /// How the service compares redirect addresses: any-port, localhost-any-port, exact, paste, or named if requests have its own name for
        /// the page in their place.
        var redirect: String
        var callback: [String: String]
        var code: String
        /// The parameter of the callback that has the code.
        var codeParameter: String

        var isPasted: Bool { redirect == "paste" || redirect == "named" }
    }

    struct IDToken: Sendable {
        var algorithm = "RS256"
        /// The key's identifier; `nil`: the key has none.
        var keyID: String? = "key-1"
        /// Whether the key names its algorithm.
        var keyHasAlgorithm = true
        var claims: TOMLValue = .table([])
    }

    /// What Yett makes of the service.
    struct Expectation: Sendable {
        var account: String?
        var subject: String?
        var scopes: [String]?
        /// Members of the identity that must be so.
        var identity: [String: String] = [:]
        var warnings: [String] = []
        /// rotated, kept or none.
        var renewal: String?
        var request: String?
        var signOutStatus: Int32?
        var signOutRequests: [String] = []
    }

    /// A failure that the service is known for.
    struct Failure: Sendable, CustomTestStringConvertible {
        var title: String
        /// sign-in, device, renewal, request or sign-out.
        var step: String
        var answer: Answer
        var status: Int32
        var says: String

        var testDescription: String { title }
    }

    var family: String
    var preset: String?
    /// The address by which the service is added, if it has no preset.
    var address: String?
    var title: String
    var place: String?
    var mode: String?
    /// `nil` if the preset has a client, or Yett registers one.
    var clientID: String?
    var clientSecret: String?
    /// The key that signs the client's assertions, as PEM text.
    var clientKey: String?
    /// The options for further provider keys.
    var settings: [String]
    var pasteRedirect: String
    var flows: [String]
    var authorization: Authorization
    var idToken = IDToken()
    var answers: [Answer]
    var expected: Expectation
    var failures: [Failure]

    var testDescription: String { "\(preset ?? address ?? ""): \(title)" }

    /// The hosts that the service has, as far as the row names them.
    var hosts: [String] {
        let texts =
            [authorization.url, address ?? "", expected.request ?? ""]
            + (answers + failures.map(\.answer)).flatMap { [$0.request, $0.body] }
        var hosts: Set<String> = []
        for text in texts {
            for part in text.split(separator: "https://").dropFirst(text.hasPrefix("https://") ? 0 : 1) {
                let host = part.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }
                if host.contains(".") { hosts.insert(String(host)) }
            }
        }
        return hosts.sorted()
    }
}

// MARK: Reading

extension ServiceRow {
    private static let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Services"

    private static let families = [
        "apps", "code-hosts", "commerce", "communities", "google-microsoft", "identity-providers", "mcp", "media", "own-servers",
        "research",
        "work",
    ]

    /// All rows.
    static func all() throws -> [ServiceRow] {
        try families.flatMap { family in
            let text = try String(contentsOf: URL(filePath: "\(folder)/\(family).toml"), encoding: .utf8)
            return try (TOMLDocument(text).root["service"]?.array ?? []).map { try ServiceRow($0, of: family) }
        }
    }

    init(_ value: TOMLValue, of family: String) throws {
        let title = value["case"]?.string ?? ""
        try value.expect(
            [
                "preset", "address", "registration", "case", "place", "mode", "client_id", "client_secret", "client_key", "settings",
                "flows",
                "authorize", "answers",
                "id_token", "expects", "failures",
            ], in: title)
        self.family = family
        self.title = title
        preset = value["preset"]?.string
        address = value["address"]?.string
        place = value["place"]?.string
        mode = value["mode"]?.string
        clientID = value["client_id"]?.string
        clientSecret = value["client_secret"]?.string
        clientKey = value["client_key"]?.string
        settings = (value["settings"]?.members ?? []).filter { $0.name != "paste_redirect" }.flatMap { Self.options($0) }
        pasteRedirect = value["settings"]?["paste_redirect"]?.string ?? "https://www.example.org/callback"
        flows = value["flows"]?.strings ?? ["browser"]
        let authorize = value["authorize"] ?? .table([])
        try authorize.expect(["url", "parameters", "redirect", "callback", "code", "code_parameter"], in: title)
        authorization = Authorization(
            url: authorize["url"]?.string ?? "", parameters: authorize["parameters"]?.texts ?? [:],
            redirect: authorize["redirect"]?.string ?? "any-port", callback: authorize["callback"]?.texts ?? [:],
            code: authorize["code"]?.string ?? "SplxlOBeZQQYbYS6WxSbIA", codeParameter: authorize["code_parameter"]?.string ?? "code")
        if let token = value["id_token"] {
            try token.expect(["algorithm", "key_id", "key_algorithm", "claims"], in: title)
            idToken = IDToken(
                algorithm: token["algorithm"]?.string ?? "RS256",
                keyID: token["key_id"]?.string == "-" ? nil : token["key_id"]?.string ?? "key-1",
                keyHasAlgorithm: token["key_algorithm"]?.string != "-", claims: token["claims"] ?? .table([]))
        }
        answers = try (value["answers"]?.array ?? []).map { try Answer($0, in: title) }
        let expects = value["expects"] ?? .table([])
        try expects.expect(["account", "subject", "scopes", "identity", "warnings", "renewal", "request", "sign_out"], in: title)
        expected = Expectation(
            account: expects["account"]?.string, subject: expects["subject"]?.string, scopes: expects["scopes"]?.strings,
            identity: expects["identity"]?.texts ?? [:], warnings: expects["warnings"]?.strings ?? [], renewal: expects["renewal"]?.string,
            request: expects["request"]?.string,
            signOutStatus: expects["sign_out"]?["status"]?.integer.map { Int32($0) },
            signOutRequests: expects["sign_out"]?["requests"]?.strings ?? [])
        failures = try (value["failures"]?.array ?? []).map { failure in
            let title = failure["case"]?.string ?? ""
            return Failure(
                title: title, step: failure["at"]?.string ?? "", answer: try Answer(failure, in: title),
                status: Int32(failure["exit"]?.integer ?? 1), says: failure["says"]?.string ?? "")
        }
    }
}

extension ServiceRow {
    /// Returns the options of `providers add` for a key of the configuration.
    private static func options(_ member: TOMLValue.Member) -> [String] {
        switch member.name {
        case "scopes": return (member.value.strings ?? []).flatMap { ["--scope", $0] }
        case "redirect": return ["--redirect", member.value.text]
        default: break
        }
        if let members = member.value.members { return members.flatMap { ["--set", "\(member.name).\($0.name)=\($0.value.text)"] } }
        return ["--set", member.name + "=" + (member.value.strings?.joined(separator: ",") ?? member.value.text)]
    }
}

extension ServiceRow.Answer {
    init(_ value: TOMLValue, in title: String) throws {
        try value.expect(
            [
                "request", "query", "form", "json_body", "headers", "status", "json", "text", "content_type", "response_headers", "once",
                "case",
                "at", "exit", "says",
            ], in: title)
        request = value["request"]?.string ?? ""
        query = value["query"]?.texts ?? [:]
        form = value["form"]?.texts
        json = value["json_body"]?.texts
        headers = value["headers"]?.texts ?? [:]
        status = Int(value["status"]?.integer ?? 200)
        body = value["json"]?.string ?? value["text"]?.string ?? ""
        contentType = value["content_type"]?.string ?? (value["text"] == nil ? "application/json" : "text/plain")
        responseHeaders = (value["response_headers"]?.members ?? []).map { ($0.name, $0.value.text) }
        isUsedOnce = value["once"]?.boolean ?? false
    }
}

/// A row with a key that nothing reads.
struct UnknownKey: Error {
    var key: String
    var row: String
}

extension TOMLValue {
    /// A scalar as text.
    var text: String {
        switch self {
        case .string(let text), .moment(let text): text
        case .integer(let number): String(number)
        case .float(let number): String(number)
        case .boolean(let flag): String(flag)
        case .array, .table: ""
        }
    }

    /// The members of a table, as texts.
    var texts: [String: String] {
        Dictionary((members ?? []).map { ($0.name, $0.value.text) }) { first, _ in first }
    }

    /// Throws if the table has a key that is not known, because no test would check that condition.
    func expect(_ known: Set<String>, in row: String) throws {
        if let other = (members ?? []).first(where: { !known.contains($0.name) }) { throw UnknownKey(key: other.name, row: row) }
    }
}
