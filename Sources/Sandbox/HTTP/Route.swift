/// One path of the server and what answers there.
struct Route: Sendable {
    var methods: [String]
    var path: String
    var respond: @Sendable (SandboxRequest) async -> Answer

    init(_ methods: String..., path: String, respond: @escaping @Sendable (SandboxRequest) async -> Answer) {
        self.methods = methods
        self.path = path
        self.respond = respond
    }
}

/// A kind of provider: the set of routes that makes the server behave like one. A server can wear several.
protocol Personality: Sendable {
    var routes: [Route] { get }
}

/// Finds the answer to a request.
struct RouteTable: Sendable {
    private var routes: [String: [Route]] = [:]

    init(_ personalities: [any Personality]) {
        for route in personalities.flatMap(\.routes) { routes[route.path, default: []].append(route) }
    }

    func answer(to request: SandboxRequest) async -> Answer {
        guard let here = routes[request.path] else { return .notFound }
        // HEAD is answered like GET; the server leaves the body out.
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let route = here.first(where: { $0.methods.contains(method) }) else {
            return .methodNotAllowed(here.flatMap(\.methods))
        }
        return await route.respond(request)
    }
}
