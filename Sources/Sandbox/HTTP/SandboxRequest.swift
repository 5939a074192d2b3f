import AuthModel

/// A request as the endpoints receive it.
struct SandboxRequest: Sendable {
    var method: String
    /// The path, without the query, still percent-encoded.
    var path: String
    var query: [(name: String, value: String)]
    /// The fields of a form body; empty for any other body.
    var form: [(name: String, value: String)]
    var headers: [(name: String, value: String)]
    /// The body as received, of any type.
    var body: [UInt8] = []
    /// The decoded path segments that match the `{name}`s of the route.
    var segments: [String: String] = [:]

    /// Returns the only value of that name; `nil` if there is none or more than one (RFC 6749 section 3.1).
    static func single(_ name: String, in pairs: [(name: String, value: String)]) -> String? {
        let values = pairs.filter { $0.name == name }
        return values.count == 1 ? values.first?.value : nil
    }

    /// Returns the names that occur more than once.
    static func repeated(in pairs: [(name: String, value: String)]) -> [String] {
        var seen: Set<String> = []
        return pairs.map(\.name).filter { !seen.insert($0).inserted }
    }

    func field(_ name: String) -> String? { Self.single(name, in: form) }
    func parameter(_ name: String) -> String? { Self.single(name, in: query) }

    /// Returns the value of the first header field with this name, ignoring case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Returns the values of a cookie; a browser may send more than one (RFC 6265 section 5.4).
    func cookies(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == "cookie" }.flatMap { $0.value.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.drop { $0 == " " } }
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
    }
}

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
    var headers: [(name: String, value: String)] = []
    var body: Body = .bytes([])
    var delivery = Delivery.complete

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
    static func error(_ error: ErrorReply) -> SandboxResponse {
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
struct ErrorReply: Error, Equatable, Sendable {
    var code: String
    var text: String
    var status: Int

    init(_ code: String, _ text: String, status: Int = 400) {
        self.code = code
        self.text = text
        self.status = status
    }
}

/// A path of the server and its handler.
struct Route: Sendable {
    var methods: [String]
    /// The path, compared byte for byte; a segment like `{name}` matches any one segment.
    var path: String
    var respond: @Sendable (SandboxRequest) async -> SandboxResponse

    init(_ methods: String..., path: String, respond: @escaping @Sendable (SandboxRequest) async -> SandboxResponse) {
        self.methods = methods
        self.path = path
        self.respond = respond
    }

    /// Returns the segments of a path that match the `{name}`s of the route; `nil` if the path does not match or its percent-encoding is
    /// invalid.
    func segments(of path: String) -> [String: String]? {
        let wanted = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == given.count else { return nil }
        var segments: [String: String] = [:]
        for (pattern, segment) in zip(wanted, given) {
            guard pattern.first == "{", pattern.last == "}" else {
                guard pattern == segment else { return nil }
                continue
            }
            // A plus sign is literal in a path (RFC 3986 section 3.3).
            let escaped = segment.split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%2B")
            guard !segment.isEmpty, let pair = FormEncoding.decode("\(escaped)")?.first else { return nil }
            segments[String(pattern.dropFirst().dropLast())] = pair.name
        }
        return segments
    }
}

/// The routes that make the server behave like one kind of provider. A server can combine several.
protocol ProviderBehaviour: Sendable {
    var routes: [Route] { get }
}

/// Finds the route for a request.
struct RouteTable: Sendable {
    private var exact: [String: [Route]] = [:]
    private var patterns: [Route] = []
    /// Runs before any route; a response from it is final.
    private let interruption: @Sendable (SandboxRequest) async -> SandboxResponse?

    init(
        _ providers: [any ProviderBehaviour], interruption: @escaping @Sendable (SandboxRequest) async -> SandboxResponse? = { _ in nil }
    ) {
        self.interruption = interruption
        for route in providers.flatMap(\.routes) {
            if route.path.contains("{") {
                patterns.append(route)
            } else {
                exact[route.path, default: []].append(route)
            }
        }
    }

    func answer(to request: SandboxRequest) async -> SandboxResponse {
        if let answer = await interruption(request) { return answer }
        // HEAD is answered like GET; the server leaves out the body.
        let method = request.method == "HEAD" ? "GET" : request.method
        var here: [(route: Route, segments: [String: String])] = (exact[request.path] ?? []).map { ($0, [:]) }
        if here.isEmpty {
            here = patterns.compactMap { route in route.segments(of: request.path).map { (route, $0) } }
        }
        guard !here.isEmpty else { return .notFound }
        guard let found = here.first(where: { $0.route.methods.contains(method) }) else {
            return .methodNotAllowed(here.flatMap(\.route.methods))
        }
        var request = request
        request.segments = found.segments
        return await found.route.respond(request)
    }
}
