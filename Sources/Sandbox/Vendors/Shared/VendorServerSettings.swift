import AuthModel

/// The settings that all vendors' systems have: who signs in, which redirects are registered, and how the server itself behaves.
public struct VendorServerSettings: Equatable, Sendable {
    /// The name of the user who signs in without a page, so that following redirects is enough; `nil` shows a page with the users.
    public var autoApproves: String?
    /// The registered redirect URIs of every client that has none of its own.
    public var redirects: [String] = ["http://127.0.0.1/callback"]
    /// The redirect URIs of single clients, by client identifier.
    public var clientRedirects: [String: [String]] = [:]
    /// Whether the port of a registered loopback literal is ignored (RFC 8252 section 7.3).
    public var allowsAnyLoopbackPort = true
    /// The lifetime of a code.
    public var codeLifetime: Duration = .seconds(300)
    /// The delay of every response.
    public var delay: Duration = .zero
    /// Paths whose next response is a plain status, written `PATH:STATUS`; each entry is used up by one request.
    public var failNext: [String] = []
    /// Responses in place of the system's own; if several have the same path, the first one is used.
    public var answers: [PredefinedResponse] = []
    /// The difference between the `Date` field and the system's own clock.
    public var dateSkew: Duration = .zero
    /// The port's answer to clients that speak TLS; with any value except `off`, the system's own address is an https one.
    public var tls = TLSUse.off
    /// Whether `GET /__log` returns the requests so far, including credentials, and `POST /__set` changes settings. For tests in another
    /// process.
    public var showsControls = false

    /// Creates settings.
    public init(autoApproves: String? = nil, showsControls: Bool = false) {
        self.autoApproves = autoApproves
        self.showsControls = showsControls
    }

    static let sandboxSettings: [SandboxSetting<VendorServerSettings>] = [
        .optionalText("auto_approve", \.autoApproves, "the user who signs in without a page; null shows the page"),
        .texts("redirects", \.redirects, "the registered redirect URIs"),
        .lists("client_redirects", \.clientRedirects, "redirect URIs of single clients: {client: [uri, …]}"),
        .flag("loopback_any_port", \.allowsAnyLoopbackPort, "whether a loopback redirect may use any port"),
        .seconds("code_lifetime", \.codeLifetime, "the lifetime of a code, in seconds"),
        .seconds("delay", \.delay, "the delay of every response, in seconds"),
        .number("delay_ms", \.delayInMilliseconds, "the same in milliseconds", within: 0...3_155_760_000_000),
        .of(
            "fail_next", \.failNext, "PATH:STATUS, for the next request to that path; or a list of them",
            read: { json in
                let entries = json.strings ?? json.string.map { [$0] }
                return entries.flatMap { $0.allSatisfy(VendorServerSettings.isFailure) ? $0 : nil }
            },
            write: { .array($0.map(JSONValue.string)) }),
        .of(
            "answers", \.answers, "responses in place of the system's own: [{path, status, headers, body, once, silent}]",
            read: { json in
                guard let list = json.array else { return nil }
                let answers = list.compactMap(PredefinedResponse.init)
                return answers.count == list.count ? answers : nil
            }, write: { .array($0.map(\.json)) }),
        .seconds("date_skew", \.dateSkew, "the error of the Date field, in seconds", isSigned: true),
        .word("tls", \.tls, "the certificate for TLS; then the system uses https addresses for itself"),
    ]

    private var delayInMilliseconds: Int {
        get { Int(delay.components.seconds * 1000 + delay.components.attoseconds / 1_000_000_000_000_000) }
        set { delay = .milliseconds(newValue) }
    }

    /// Returns whether a client may use this redirect URI: it is registered byte for byte, or differs only in its port and that is allowed.
    func accepts(redirect uri: String, of client: String) -> Bool {
        accepts(redirect: uri, among: clientRedirects[client] ?? redirects)
    }

    /// Returns whether a list of registered URIs contains this redirect URI, by the same rule.
    func accepts(redirect uri: String, among redirects: [String]) -> Bool {
        if redirects.contains(uri) { return true }
        return allowsAnyLoopbackPort && redirects.contains { Self.withoutPort(uri) == $0 || Self.withoutPort($0) == Self.withoutPort(uri) }
    }

    /// Returns a loopback literal's URI without its port; `nil` for any other URI.
    private static func withoutPort(_ uri: String) -> String? {
        for prefix in ["http://127.0.0.1", "http://[::1]"] where uri.hasPrefix(prefix) {
            let rest = uri.dropFirst(prefix.count)
            guard rest.first == ":" else { return rest.isEmpty || rest.first == "/" ? uri : nil }
            return prefix + rest.dropFirst().drop { ("0"..."9").contains($0) }
        }
        return nil
    }

    /// Returns whether the entry is `PATH:STATUS`.
    private static func isFailure(_ entry: String) -> Bool {
        guard entry.first == "/", let colon = entry.lastIndex(of: ":"), let status = Int(entry[colon...].dropFirst()) else { return false }
        return (200...599).contains(status)
    }

    /// Removes and returns the status for the next response at `path`.
    mutating func takeFailure(at path: String) -> Int? {
        guard let index = failNext.firstIndex(where: { $0.hasPrefix(path + ":") }) else { return nil }
        return Int(failNext.remove(at: index).dropFirst(path.count + 1))
    }

    /// Returns the predefined response at `path`; removes it if it is for one use.
    mutating func takeAnswer(at path: String) -> PredefinedResponse? {
        guard let index = answers.firstIndex(where: { $0.path == path }) else { return nil }
        return answers[index].isForOnce ? answers.remove(at: index) : answers[index]
    }
}
