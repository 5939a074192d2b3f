internal import AuthEngine
internal import AuthModel
internal import OAuth

/// A user's browser at the test providers: keeps cookies, follows redirects, and fills in the forms for signing in and consenting.
struct DemoVisitor {
    let transport: any HTTPTransport
    let user: String
    let password: String
    private var cookies: [String: String] = [:]

    /// The number of pages and redirects after which a sign-in counts as failed.
    private static let limit = 12

    init(transport: any HTTPTransport, user: String, password: String) {
        self.transport = transport
        self.user = user
        self.password = password
    }

    /// Visits the URL of a sign-in, up to the callback. Throws `.bug` if the pages are not those of the test provider.
    mutating func signIn(at start: WebURL) async throws(AuthFailure) {
        var request = WebRequest(method: .get, url: start)
        for _ in 0..<Self.limit {
            let url = request.url
            // A cookie belongs to the provider; the callback is another server.
            if url.origin == start.origin, !cookies.isEmpty {
                let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                request.headers.append(("Cookie", pairs.joined(separator: "; ")))
            }
            let answer = try await transport.send(request)
            if url.origin == start.origin { keepCookie(of: answer) }
            if let location = answer.header("location"), let next = url.resolving(location) {
                request = WebRequest(method: .get, url: next)
            } else if url.origin != start.origin {
                return
            } else {
                request = try form(on: String(decoding: answer.body, as: UTF8.self), at: url)
            }
        }
        throw Self.unknownPage
    }

    private mutating func keepCookie(of answer: WebResponse) {
        guard let pair = answer.header("set-cookie")?.prefix(while: { $0 != ";" }), let sign = pair.firstIndex(of: "=") else { return }
        cookies[String(pair[..<sign])] = String(pair[pair.index(after: sign)...])
    }

    /// Returns the request that submits the page's form.
    private func form(on page: String, at url: WebURL) throws(AuthFailure) -> WebRequest {
        let chosen = "sandbox_username"
        // A vendor's page has buttons for the users, and sends the parameters of its own request again.
        if page.contains("name=\"\(chosen)\""), let target = url.resolving(url.path), let parameters = FormEncoding.decode(url.query ?? "")
        {
            return .form(target, parameters.map { ($0.name, $0.value) } + [(chosen, user)])
        }
        let known: [(action: String, fields: [(String, String)])] = [
            ("/sign-in", [("username", user), ("password", password)]),
            ("/consent", [("decision", "allow")] + ["profile", "email", "offline_access"].map { ("scope", $0) }),
        ]
        guard let interaction = Self.text(in: page, from: "name=\"interaction\" value=\""),
            let form = known.first(where: { page.contains("action=\"\($0.action)\"") }), let target = url.resolving(form.action)
        else { throw Self.unknownPage }
        return .form(target, [("interaction", interaction)] + form.fields)
    }

    /// Returns the text between `start` and the next quotation mark.
    private static func text(in page: String, from start: String) -> String? {
        let parts = page.split(separator: start, maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }

    private static var unknownPage: AuthFailure {
        AuthFailure(.bug, text: "the test provider shows an unexpected page", hint: "to run only the test providers, use: yett sandbox")
    }
}
