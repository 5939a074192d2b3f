import AuthModel

/// What goes back to a client, as a value.
struct Answer: Sendable, Equatable {
    /// How the answer gets to the client.
    enum Delivery: Sendable, Equatable {
        case complete
        /// The connection is closed and nothing is said.
        case closesConnection
        /// Nothing is said until the client or the server gives up.
        case never
    }

    /// The body, whole or as a rule that makes a large one while it is sent.
    enum Body: Sendable, Equatable {
        case bytes([UInt8])
        /// `opening`, then `filler` as often as said, then `closing`; no length is announced.
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

    static func == (left: Answer, right: Answer) -> Bool {
        left.status == right.status && left.body == right.body && left.delivery == right.delivery
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }

    /// The body where it is whole.
    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    /// JSON that must not be kept (RFC 6749 section 5.1).
    static func json(_ value: JSONValue, status: Int = 200, headers: [(name: String, value: String)] = []) -> Answer {
        text(value.text, type: "application/json", status: status, headers: [("Cache-Control", "no-store")] + headers)
    }

    static func text(
        _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> Answer {
        Answer(status: status, headers: [("Content-Type", type)] + headers, body: .bytes(Array(text.utf8)))
    }

    /// Sends a browser on. 303, so that a form is not posted again, unless another status is asked for.
    static func redirect(to location: String, status: Int = 303) -> Answer {
        Answer(status: status, headers: [("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")])
    }

    /// An error of the token endpoint and its neighbours (RFC 6749 section 5.2).
    static func error(_ error: OAuthError) -> Answer {
        var headers: [(name: String, value: String)] = []
        if error.status == 401 { headers.append(("WWW-Authenticate", "Basic realm=\"sandbox\"")) }
        return json(["error": .string(error.code), "error_description": .string(error.text)], status: error.status, headers: headers)
    }

    static let notFound = text("not found\n", status: 404)
    static func methodNotAllowed(_ allowed: [String]) -> Answer {
        text("method not allowed\n", status: 405, headers: [("Allow", allowed.joined(separator: ", "))])
    }
}

/// An OAuth error as it goes over the wire (RFC 6749 sections 4.1.2.1 and 5.2).
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
