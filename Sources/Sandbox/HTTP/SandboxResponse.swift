import AuthModel

/// A response to a client, as a value.
struct SandboxResponse: Sendable, Equatable {
    /// The delivery of the response.
    enum Delivery: Sendable, Equatable {
        case complete
        /// The connection is closed without a response.
        case closesConnection
        /// No response is sent until the client or the server gives up.
        case never
    }

    /// A complete body, or the description of a large one that is generated while it is sent.
    enum Body: Sendable, Equatable {
        case bytes([UInt8])
        /// `opening`, then `count` bytes of `filler`, then `closing`; without a Content-Length.
        case padded(opening: [UInt8], filler: UInt8, count: Int, closing: [UInt8])
    }

    var status: Int
    var headers: [(name: String, value: String)]
    var body: Body
    var delivery = Delivery.complete

    init(status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static func == (left: SandboxResponse, right: SandboxResponse) -> Bool {
        left.status == right.status && left.body == right.body && left.delivery == right.delivery
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }

    /// The text of a complete body; otherwise empty.
    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    /// Returns a JSON response that must not be cached (RFC 6749 section 5.1).
    static func json(_ value: JSONValue, status: Int = 200, headers: [(name: String, value: String)] = []) -> SandboxResponse {
        text(value.text, type: "application/json", status: status, headers: [("Cache-Control", "no-store")] + headers)
    }

    static func text(
        _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> SandboxResponse {
        SandboxResponse(status: status, headers: [("Content-Type", type)] + headers, body: .bytes(Array(text.utf8)))
    }

    /// Redirects a browser. Default: status 303, so that a form is not posted again.
    static func redirect(to location: String, status: Int = 303) -> SandboxResponse {
        SandboxResponse(
            status: status, headers: [("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")])
    }

    /// Returns an error response of the token endpoint or a similar one (RFC 6749 section 5.2).
    static func error(_ error: OAuthError) -> SandboxResponse {
        var headers: [(name: String, value: String)] = []
        if error.status == 401 { headers.append(("WWW-Authenticate", "Basic realm=\"sandbox\"")) }
        return json(["error": .string(error.code), "error_description": .string(error.text)], status: error.status, headers: headers)
    }

    static let notFound = text("not found\n", status: 404)
    static func methodNotAllowed(_ allowed: [String]) -> SandboxResponse {
        text("method not allowed\n", status: 405, headers: [("Allow", allowed.joined(separator: ", "))])
    }
}

/// An OAuth error as sent to clients (RFC 6749 sections 4.1.2.1 and 5.2).
struct OAuthError: Error, Equatable, Sendable {
    var code: String
    var text: String
    var status: Int

    init(_ code: String, _ text: String, status: Int = 400) {
        self.code = code
        self.text = text
        self.status = status
    }
}
