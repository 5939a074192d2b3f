import AuthModel
import OAuth

/// An HTTP request as received.
struct RawRequest: Sendable {
    var method = ""
    /// Path and query, exactly as sent.
    var target = ""
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    var path: String { String(target.prefix { $0 != "?" }) }
    var query: [(name: String, value: String)] { pairs(target.drop { $0 != "?" }.dropFirst()) }
    var form: [(name: String, value: String)] { pairs(String(decoding: body, as: UTF8.self)) }

    private func pairs(_ text: some StringProtocol) -> [(name: String, value: String)] { FormEncoding.decode(text) ?? [] }

    /// Parses one request; `nil` until it is complete.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        method = String(words[0])
        target = String(words[1])
        headers = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
                (String(line[..<colon]), line[line.index(after: colon)...].trimmingWhitespace)
            }
        }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard bytes.count - end.upperBound >= length else { return nil }
        body = Array(bytes[end.upperBound...].prefix(length))
    }
}

extension Substring {
    fileprivate var trimmingWhitespace: String {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// An HTTP response, down to its bytes.
struct RawAnswer: Sendable {
    /// The text after `HTTP/1.1 ` in the status line.
    var status: String
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    /// The decoded body, if the body has a transfer encoding.
    var content: [UInt8]?
    /// The bytes to send instead of all of the above.
    var bytes: [UInt8]?
    /// Whether to send nothing and keep the connection open.
    var isSilent = false

    init(_ response: WebResponse) {
        status = "\(response.status) Some"
        let framing: Set = ["content-length", "transfer-encoding", "connection", "content-encoding"]
        headers = response.headers.filter { !framing.contains($0.name.lowercased()) }
        body = response.body
    }

    init(status: String, json: JSONValue) {
        self.status = status
        headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        body = Array(json.text.utf8)
    }

    /// The body as JSON; `nil` if it is not JSON.
    var json: JSONValue? {
        get { try? JSONValue(strict: body) }
        set { if let newValue { body = Array(newValue.text.utf8) } }
    }

    /// The response's JWT: the whole body, or the ID token of a token response.
    var signedToken: String? {
        get { isJWT ? String(decoding: body, as: UTF8.self) : json?["id_token"]?.string }
        set {
            guard let newValue else { return }
            if isJWT { body = Array(newValue.utf8) } else { json = json?.setting("id_token", .string(newValue)) }
        }
    }

    var isJWT: Bool { header("Content-Type")?.hasPrefix("application/jwt") == true }

    var isSuccess: Bool { status.hasPrefix("200") || status.hasPrefix("201") }

    /// The body as sent, if the status is 200 or 201.
    var deliveredBody: [UInt8]? {
        guard let bytes else { return isSuccess ? content ?? body : nil }
        // No body here contains an empty line.
        for end in ["\r\n\r\n", "\n\n"] {
            if let last = bytes.ranges(of: Array(end.utf8)).last { return Array(bytes[last.upperBound...]) }
        }
        return nil
    }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    mutating func setHeader(_ name: String, _ value: String?) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { headers.append((name, value)) }
    }

    /// The bytes to send, with a Content-Length unless another header field already defines the framing.
    var wire: [UInt8] {
        if let bytes { return bytes }
        var fields = headers
        let framing: Set = ["content-length", "transfer-encoding"]
        if !fields.contains(where: { framing.contains($0.name.lowercased()) }) { fields.append(("Content-Length", "\(body.count)")) }
        fields.append(("Connection", "close"))
        let head = "HTTP/1.1 \(status)\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        return Array(head.utf8) + body
    }
}
