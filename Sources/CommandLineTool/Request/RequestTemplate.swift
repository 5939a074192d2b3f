internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// The request that the user wants to send, without a token.
struct RequestTemplate {
    let method: WebRequest.Method
    let headers: [(name: String, value: String)]
    private let body: [UInt8]

    /// Header fields that belong to the session or to the connection.
    private static let reserved = [
        "authorization", "dpop", "host", "cookie", "connection", "content-length", "transfer-encoding", "upgrade", "te", "trailer",
        "expect",
        "proxy-authorization",
    ]

    /// Creates a template from the command's options. Throws `.usage` for values that cannot be sent.
    ///
    /// - Parameters:
    ///   - source: the body; `nil` if the user names none.
    ///   - reserved: header fields that belong to the session at this provider, in lower case.
    init(method: String?, headers: [String], source: RequestSource?, reserved: Set<String> = []) throws(AuthFailure) {
        if let method {
            guard let known = WebRequest.Method(rawValue: method.uppercased()) else {
                throw AuthFailure(
                    .usage, text: "no method for a request with a token: '\(method)'", hint: "use one word, such as GET, POST or PATCH")
            }
            self.method = known
        } else {
            self.method = source == nil ? .get : .post
        }
        body = source?.bytes ?? []
        var fields: [(name: String, value: String)] = []
        for text in headers { fields.append(try Self.field(text, reserved: reserved)) }
        func has(_ name: String) -> Bool { fields.contains { $0.name.asciiLowercased() == name } }
        if !has("accept") { fields.append(("Accept", "*/*")) }
        if let type = source?.mediaType, !has("content-type") { fields.append(("Content-Type", type)) }
        self.headers = fields
    }

    func request(_ url: WebURL) -> WebRequest { WebRequest(method: method, url: url, headers: headers, body: body) }

    private static func field(_ text: String, reserved own: Set<String>) throws(AuthFailure) -> (name: String, value: String) {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw AuthFailure(.usage, text: "a header field must be name: value", hint: "for example -H 'Accept: application/json'")
        }
        let name = String(text[..<colon])
        guard !reserved.contains(name.asciiLowercased()), !own.contains(name.asciiLowercased()) else {
            throw AuthFailure(
                .usage, text: "the header field \(name) cannot be set", hint: "Yett sets it for the session or the connection")
        }
        return (name, String(String(text[text.index(after: colon)...]).trimmed))
    }

}
