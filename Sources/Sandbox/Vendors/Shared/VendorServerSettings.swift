import AuthModel

/// What every vendor's system has in common: who signs in, where answers may go, and how the server itself behaves.
public struct VendorServerSettings: Equatable, Sendable {
    /// The user name of whoever is signed in without a page, so that following redirects is enough; `nil` shows a page of people.
    public var autoApproves: String?
    /// Redirect URIs that are registered, for every client that has none of its own.
    public var redirects: [String] = ["http://127.0.0.1/callback"]
    /// Redirect URIs of single clients, by their identifiers.
    public var clientRedirects: [String: [String]] = [:]
    /// Whether the port of a registered loopback literal is ignored (RFC 8252 section 7.3).
    public var allowsAnyLoopbackPort = true
    /// How long a code can be redeemed.
    public var codeLifetime: Duration = .seconds(300)
    /// How long every answer is held back.
    public var delay: Duration = .zero
    /// Paths whose next answer is a status instead, written `PATH:STATUS`, each used up by one request.
    public var failNext: [String] = []
    /// What is answered in the place of the system; for a path that is there twice, the first one counts.
    public var answers: [CannedAnswer] = []
    /// How far the `Date` field is from the system's own clock.
    public var dateSkew: Duration = .zero
    /// What the port says to clients that speak TLS; with any but `off`, the system's own address is an https one.
    public var tls = TLSUse.off
    /// Whether `GET /__log` tells the requests so far, credentials included, and `POST /__set` turns knobs. For tests in another process.
    public var showsControls = false

    public init(autoApproves: String? = nil, showsControls: Bool = false) {
        self.autoApproves = autoApproves
        self.showsControls = showsControls
    }

    static let sandboxSettings: [SandboxSetting<VendorServerSettings>] = [
        .optionalText("auto_approve", \.autoApproves, "who signs in without a page; null shows one"),
        .texts("redirects", \.redirects, "redirect URIs that are registered"),
        .lists("client_redirects", \.clientRedirects, "redirect URIs of single clients: {client: [uri, …]}"),
        .flag("loopback_any_port", \.allowsAnyLoopbackPort, "whether a loopback redirect may have any port"),
        .seconds("code_lifetime", \.codeLifetime, "seconds for which a code can be redeemed"),
        .seconds("delay", \.delay, "seconds for which every answer is held back"),
        .number("delay_ms", \.delayInMilliseconds, "the same in milliseconds", within: 0...3_155_760_000_000),
        .of(
            "fail_next", \.failNext, "PATH:STATUS, for the next request to that path; or a list of them",
            read: { json in
                let entries = json.strings ?? json.string.map { [$0] }
                return entries.flatMap { $0.allSatisfy(VendorServerSettings.isFailure) ? $0 : nil }
            },
            write: { .array($0.map(JSONValue.string)) }),
        .of(
            "answers", \.answers, "answers in the place of its own: [{path, status, headers, body, once, silent}]",
            read: { json in
                guard let list = json.array else { return nil }
                let answers = list.compactMap(CannedAnswer.init)
                return answers.count == list.count ? answers : nil
            }, write: { .array($0.map(\.json)) }),
        .seconds("date_skew", \.dateSkew, "seconds by which the Date field is wrong", isSigned: true),
        .word("tls", \.tls, "the certificate by which the port speaks TLS too, with https addresses of its own"),
    ]

    private var delayInMilliseconds: Int {
        get { Int(delay.components.seconds * 1000 + delay.components.attoseconds / 1_000_000_000_000_000) }
        set { delay = .milliseconds(newValue) }
    }

    /// Whether a client's answer may be sent to this redirect URI: byte for byte one that is registered, or one that differs in its port
    /// alone where that is allowed.
    func accepts(redirect uri: String, of client: String) -> Bool {
        accepts(redirect: uri, among: clientRedirects[client] ?? redirects)
    }

    /// The same for a list of registered URIs.
    func accepts(redirect uri: String, among redirects: [String]) -> Bool {
        if redirects.contains(uri) { return true }
        return allowsAnyLoopbackPort && redirects.contains { Self.withoutPort(uri) == $0 || Self.withoutPort($0) == Self.withoutPort(uri) }
    }

    /// A loopback literal's URI without its port; `nil` for any other.
    private static func withoutPort(_ uri: String) -> String? {
        for prefix in ["http://127.0.0.1", "http://[::1]"] where uri.hasPrefix(prefix) {
            let rest = uri.dropFirst(prefix.count)
            guard rest.first == ":" else { return rest.isEmpty || rest.first == "/" ? uri : nil }
            return prefix + rest.dropFirst().drop { ("0"..."9").contains($0) }
        }
        return nil
    }

    /// Whether it is `PATH:STATUS`.
    private static func isFailure(_ entry: String) -> Bool {
        guard entry.first == "/", let colon = entry.lastIndex(of: ":"), let status = Int(entry[colon...].dropFirst()) else { return false }
        return (200...599).contains(status)
    }

    /// The status that the next answer at `path` is to have, which is used up by this.
    mutating func takeFailure(at path: String) -> Int? {
        guard let index = failNext.firstIndex(where: { $0.hasPrefix(path + ":") }) else { return nil }
        return Int(failNext.remove(at: index).dropFirst(path.count + 1))
    }

    /// What is answered to a request in the place of the system; one that is for once is used up by this.
    mutating func takeAnswer(at path: String) -> CannedAnswer? {
        guard let index = answers.firstIndex(where: { $0.path == path }) else { return nil }
        return answers[index].isForOnce ? answers.remove(at: index) : answers[index]
    }
}
