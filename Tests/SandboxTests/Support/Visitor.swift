import AuthModel
@testable import Sandbox

/// A user's browser: it keeps cookies, follows redirects inside the sandbox and fills in forms.
struct Visitor {
    let origin: String
    private var cookies: [(name: String, value: String)] = []

    init(origin: String) { self.origin = origin }

    /// Opens a URL and follows redirects until there is a page, or a redirect to another origin.
    mutating func open(_ url: String) async throws -> Reply {
        try await settle(Wire.get(url, headers: cookieHeader))
    }

    /// Fills in the form of `page` with that action and submits it with its hidden fields.
    mutating func submit(_ page: Reply, action: String, _ fields: [(String, String)]) async throws -> Reply {
        guard page.text.contains("action=\"\(action)\"") else { throw WireError(problem: "no form for \(action) on: \(page.text)") }
        let hidden = Self.hiddenFields(of: page.text)
        return try await settle(Wire.post(origin + action, hidden + fields, headers: cookieHeader))
    }

    mutating func signIn(_ page: Reply, username: String, password: String, base: String = "") async throws -> Reply {
        try await submit(page, action: base + "/sign-in", [("username", username), ("password", password)])
    }

    private var cookieHeader: [(String, String)] {
        cookies.isEmpty ? [] : [("Cookie", cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))]
    }

    private mutating func settle(_ first: Reply) async throws -> Reply {
        var reply = first
        for _ in 0..<10 {
            if let cookie = reply.header("set-cookie")?.split(separator: ";").first {
                let parts = cookie.split(separator: "=", maxSplits: 1).map(String.init)
                cookies.removeAll { $0.name == parts[0] }
                cookies.append((parts[0], parts[1]))
            }
            guard let location = reply.location, location.hasPrefix("/") else { return reply }
            reply = try await Wire.get(origin + location, headers: cookieHeader)
        }
        throw WireError(problem: "redirected for ever")
    }

    private static func hiddenFields(of page: String) -> [(String, String)] {
        var seen: Set<String> = []
        return page.split(separator: "<input type=\"hidden\" name=\"").dropFirst().compactMap { rest in
            let parts = rest.split(separator: "\"", omittingEmptySubsequences: false)
            let name = String(parts[0])
            // The same field is in every form of a page.
            return parts.count > 2 && seen.insert(name).inserted ? (name, String(parts[2])) : nil
        }
    }
}
