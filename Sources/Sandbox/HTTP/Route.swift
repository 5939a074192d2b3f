import AuthModel

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
