public import AuthModel

/// Requests to a protected resource, sent with curl as another tool does.
public enum Resource {
    /// The status and body of a response.
    public struct Answer: Sendable, CustomStringConvertible {
        /// The HTTP status.
        public var status: Int
        /// The body as text.
        public var body: String

        /// The body as JSON; nil if it is not JSON.
        public var json: JSONValue? { try? JSONValue(strict: body) }
        public var description: String { "\(status) \(body)" }
    }

    /// Requests a URL without a token.
    public static func get(_ url: String) async throws -> Answer {
        try await ask(url, token: nil)
    }

    /// Returns the provider's metadata.
    public static func metadata(of provider: any RunningProvider) async throws -> JSONValue {
        let answer = try await get(provider.issuer + "/.well-known/openid-configuration")
        guard let metadata = answer.json else { throw HarnessError("no metadata: \(answer)") }
        return metadata
    }

    /// Requests userinfo with a token.
    public static func userInfo(at provider: any RunningProvider, token: String) async throws -> Answer {
        let metadata = try await metadata(of: provider)
        guard let endpoint = metadata["userinfo_endpoint"]?.string else { throw HarnessError("no userinfo: \(metadata)") }
        return try await ask(endpoint, token: token)
    }

    /// Returns the redirect target of a URL.
    public static func redirect(of url: String) async throws -> String {
        guard let curl = Product.installed("curl") else { throw HarnessError("curl is not installed") }
        let result = try await Program(
            curl, ["--silent", "--show-error", "--max-time", "120", "--output", "/dev/null", "--write-out", "%{redirect_url}", url],
            environment: ["PATH": "/usr/bin:/bin"], limit: .seconds(180)
        ).run()
        guard result.status == 0, !result.output.isEmpty else { throw HarnessError("\(url) leads nowhere: \(result)") }
        return result.output
    }

    /// Follows redirects within an origin. Returns the first URL outside of it.
    public static func redirect(of url: String, outOf origin: String) async throws -> String {
        var address = url
        while address.hasPrefix(origin + "/") { address = try await redirect(of: address) }
        return address
    }

    /// Posts a JSON document without a token.
    public static func post(_ document: String, to url: String) async throws -> Answer {
        let quoted = document.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return try await ask(url, token: nil, more: "data = \"\(quoted)\"\nheader = \"Content-Type: application/json\"\n")
    }

    private static func ask(_ url: String, token: String?, more: String = "") async throws -> Answer {
        guard let curl = Product.installed("curl") else { throw HarnessError("curl is not installed") }
        // Read from standard input, so that the token is not visible in the list of processes.
        let settings = "url = \"\(url)\"\n" + (token.map { "header = \"Authorization: Bearer \($0)\"\n" } ?? "") + more
        let result = try await Program(
            curl, ["--silent", "--show-error", "--max-time", "120", "--write-out", "\n%{http_code}", "--config", "-"],
            environment: ["PATH": "/usr/bin:/bin"], input: settings, limit: .seconds(180)
        ).run()
        guard result.status == 0, let end = result.output.lastIndex(of: "\n"),
            let status = Int(result.output[result.output.index(after: end)...])
        else { throw HarnessError("curl \(url): \(result)") }
        return Answer(status: status, body: String(result.output[..<end]))
    }
}
