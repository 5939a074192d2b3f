public import AuthModel

/// The form in which the resources of a provider kind accept a token, and the meaning of their answers. It has no state and does no input
/// or output. The caller decides what follows, so that a renewal, a sign-in and a request without a token have one implementation for all
/// kinds.
public protocol ResourceDialect: Sendable {
    /// Returns `request` in the form that these resources need, before any session data is added.
    func prepared(_ request: WebRequest) -> WebRequest

    /// Whether the URL identifies the session, and a request may be sent without one.
    var urlIdentifiesSession: Bool { get }

    /// Returns `request` with the token added.
    func authorized(_ request: WebRequest, with issued: IssuedToken) -> WebRequest

    /// Returns the header field for a token, as ``authorized(_:with:)`` writes it.
    func field(for issued: IssuedToken) -> (name: String, value: Secret)

    /// Whether a request only reads, so that sending it again as another user changes nothing.
    func isRead(_ request: WebRequest) -> Bool

    /// Returns the request without a token in `Authorization`, so that a web server in front can use that field; `nil` if the token has no
    /// other field.
    func freeingAuthorization(_ request: WebRequest) -> WebRequest?

    /// The header fields that identify the sender, in lower case. A request without a token has none of them.
    var credentialFields: Set<String> { get }

    /// Whether the beginning of a successful answer's body may be a refusal.
    var judgesBodies: Bool { get }

    /// Returns what an answer says about the token that was sent.
    func verdict(on answer: WebResponse) -> TokenVerdict

    /// Returns the failure to report for an answer if nothing more can be done; `nil` for success.
    ///
    /// - Parameter host: the host that answered, for the message.
    func failure(_ answer: WebResponse, from host: String) -> AuthFailure?

    /// Returns the server's reason why it wants a token, or another one, in one line.
    func reason(_ answer: WebResponse) -> UserMessage?

    /// Returns the token in an answer that replaces the one that was sent.
    func newToken(in answer: WebResponse) -> Secret?
}

extension ResourceDialect {
    /// Default: the request, unchanged.
    public func prepared(_ request: WebRequest) -> WebRequest { request }
    /// Default: false.
    public var urlIdentifiesSession: Bool { false }
    /// Default: false.
    public var judgesBodies: Bool { false }
    /// Default: the standard fields.
    public var credentialFields: Set<String> { ["authorization", "proxy-authorization", "dpop", "cookie"] }
    /// Default: the request if it has no `Authorization`, else `nil`.
    public func freeingAuthorization(_ request: WebRequest) -> WebRequest? {
        request.headers.contains { $0.name.asciiLowercased() == "authorization" } ? nil : request
    }
    /// Default: true for GET.
    public func isRead(_ request: WebRequest) -> Bool { request.method == .get }
    /// Default: `Authorization` with the scheme `DPoP` or `Bearer`.
    public func field(for issued: IssuedToken) -> (name: String, value: Secret) {
        BearerDialect().field(for: issued)
    }
    /// Default: the status.
    public func reason(_ answer: WebResponse) -> UserMessage? { UserMessage("phrase.status", ["status": answer.status]) }
    /// Default: `nil`.
    public func newToken(in answer: WebResponse) -> Secret? { nil }
}

/// A resource's response to a token.
public enum TokenVerdict: Equatable, Sendable {
    /// The token was accepted, or the refusal is not about the token.
    case accepted
    /// The token is no longer accepted. A renewed one may be.
    case refused
    /// A new sign-in is needed. `reason` is the provider's own, in one line.
    case signInWanted(reason: UserMessage)
}

/// The dialect of RFC 6750: the token is sent as `Bearer`, and refusals are in `WWW-Authenticate`.
public struct BearerDialect: ResourceDialect {
    /// Additional header fields that are sent with every token. Where the request has such a field, its own value is sent, except an
    /// `Accept` of everything, which HTTP clients send by default.
    public var fields: [(name: String, value: String)]
    /// The client's secret, for the fields that have it; see ``SecretPlaceholder``.
    public var secret: Secret?
    /// The scheme of `Authorization`, for services with another word than `Bearer`.
    public var scheme: String
    /// The field that has the token alone, for services that do not read `Authorization`.
    public var ownField: String?
    /// The statuses, besides 401, of a service's answer to a token that has ended.
    public var refusedStatuses: Set<Int>
    /// The meanings of the service's own error codes and messages, with any status.
    public var errors: [String: ProviderDialect.APIError]

    /// Creates the dialect.
    public init(
        fields: [(name: String, value: String)] = [], scheme: String = "Bearer", ownField: String? = nil, refusedStatuses: Set<Int> = [],
        errors: [String: ProviderDialect.APIError] = [:]
    ) {
        self.fields = fields
        self.scheme = scheme
        self.ownField = ownField
        self.refusedStatuses = refusedStatuses
        self.errors = errors
    }

    /// Whether the service's own errors are known: some come with status 200.
    public var judgesBodies: Bool { !errors.isEmpty }

    /// The standard fields, the service's own, and those with the client's secret.
    public var credentialFields: Set<String> {
        let own = fields.filter { $0.value.contains(SecretPlaceholder.text) }.map(\.name) + [ownField].compactMap(\.self)
        return Set(["authorization", "proxy-authorization", "dpop", "cookie"] + own.map { $0.asciiLowercased() })
    }

    /// Returns `Authorization` with the scheme, or with `DPoP` for a bound token, or the service's own field.
    public func field(for issued: IssuedToken) -> (name: String, value: Secret) {
        let isBound = issued.tokenType.asciiLowercased() == "dpop"
        if !isBound, let ownField { return (ownField, issued.token) }
        return ("Authorization", Secret("\(isBound ? "DPoP" : scheme) \(issued.token.reveal())"))
    }

    /// Returns `request` with the token and the additional fields.
    public func authorized(_ request: WebRequest, with issued: IssuedToken) -> WebRequest {
        var request = request
        let field = field(for: issued)
        request.headers.append((field.name, field.value.reveal()))
        // A service that needs its own media type, often with a version in it, refuses or misreads a request that names none.
        if fields.contains(where: { $0.name.asciiLowercased() == "accept" }) {
            request.headers.removeAll { $0.name.asciiLowercased() == "accept" && $0.value == "*/*" }
        }
        let own = Set(request.headers.map { $0.name.asciiLowercased() })
        for field in fields where !own.contains(field.name.asciiLowercased()) {
            guard let value = SecretPlaceholder.filled(field.value, with: secret) else { continue }
            request.headers.append((field.name, value))
        }
        return request
    }

    /// Returns ``TokenVerdict/refused`` for status 401, unless its error says that something else than the token is wrong: services name a
    /// token that has ended in words of their own, such as `expired_token`.
    public func verdict(on answer: WebResponse) -> TokenVerdict {
        if let meaning = meaning(of: answer) { return meaning == .ended ? .refused : .accepted }
        guard answer.status == 401 || isOwnRefusal(answer) else { return .accepted }
        let codes = answer.tokenChallenges.compactMap(\.error?.code)
        return codes.isEmpty || !codes.allSatisfy(Self.isAboutRequest) ? .refused : .accepted
    }

    /// Whether an answer has one of the service's own statuses. 203 is one with a page in place of data, and 302 one that leads to a
    /// sign-in page.
    private func isOwnRefusal(_ answer: WebResponse) -> Bool {
        guard refusedStatuses.contains(answer.status) else { return false }
        switch answer.status {
        case 203: return answer.header("Content-Type")?.asciiLowercased().hasPrefix("text/html") == true
        case 302: return answer.header("Location").map(Self.isSignInPage) == true
        default: return true
        }
    }

    private static let signInPages: Set<Substring> = ["_signin", "login", "sign_in", "signin"]

    private static func isSignInPage(_ location: String) -> Bool {
        let path = location.asciiLowercased().prefix { $0 != "?" && $0 != "#" }
        let segments = path.split(separator: "/")
        // A project may have one of the other names, too.
        return segments.contains("_signin") || segments.last.map(signInPages.contains) == true
    }

    /// Returns the meaning of the service's own error in a JSON document: of a code or message at its root, in its member `error` or in the
    /// first of its `errors`.
    private func meaning(of answer: WebResponse) -> ProviderDialect.APIError? {
        guard !errors.isEmpty, let document = try? JSONValue(strict: answer.body) else { return nil }
        // Other members may be content where the request succeeded.
        return meaning(in: document, isContent: (200...299).contains(answer.status)) ?? meaning(in: document["error"])
            ?? meaning(in: document["errors"]?.array?.first)
    }

    private func meaning(in object: JSONValue?, isContent: Bool = false) -> ProviderDialect.APIError? {
        let names = Self.errorMembers + (isContent ? [] : Self.detailMembers)
        let texts = names.compactMap { object?[$0] }.compactMap { $0.string ?? $0.integer.map { String($0) } }
        if let known = texts.lazy.compactMap({ meaning(ofText: $0) }).first { return known }
        // Vercel has a flag for a token that has ended.
        return isContent ? nil : object?.members?.lazy.filter { $0.value == .bool(true) }.compactMap { errors[$0.name] }.first
    }

    /// Returns the meaning of a text, or of its beginning: Twitch names the missing scope after a colon.
    private func meaning(ofText text: String) -> ProviderDialect.APIError? {
        errors[text] ?? text.firstRange(of: ": ").flatMap { errors[String(text[..<$0.lowerBound])] }
    }

    private static let errorMembers = ["error", "err", "ECODE", "errcode", "error_code", "status"]
    private static let detailMembers = ["code", "type", ".tag", "message"]

    /// Whether an error code is of a request that a renewed token does not help (RFC 6750 section 3.1, RFC 9470 section 3).
    private static func isAboutRequest(_ code: String) -> Bool { code == "invalid_request" || code.hasPrefix("insufficient_") }

    /// Returns `.unavailable` for status 408, 429 and 500 or above, and `.denied` for any other error, also for one with a 2xx status.
    public func failure(_ answer: WebResponse, from host: String) -> AuthFailure? {
        // GitHub says with 403, too, that no requests are left.
        switch answer.status == 403 && answer.isOverLimit ? 429 : answer.status {
        case 200..<300 where meaning(of: answer) == nil && verdict(on: answer) == .accepted: return nil
        case 408, 429, 500...:
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("http.answered_status", ["host": host, "status": answer.status]),
                hint: "hint.try_again_in_a_moment")
        default:
            let error = answer.tokenChallenges.lazy.compactMap(\.error).first
            let refusal = UserMessage("http.refused_with_status", ["host": host, "status": answer.status])
            let message = error.map { UserMessage("http.refused_because", ["refusal": refusal, "detail": $0.line]) } ?? refusal
            let page = signInPage(in: answer, from: host)
            return AuthFailure(.denied(code: error?.code), message, hint: page.map { UserMessage("hint.authorize_at", ["url": $0]) })
        }
    }

    /// Returns GitHub's address at which the user signs in to an organisation with single sign-on; `nil` unless it is at the host that
    /// answered, or at the one above it, as `github.com` is for `api.github.com`. Another host must not choose a page for the user.
    private func signInPage(in answer: WebResponse, from host: String) -> WebURL? {
        let parts = answer.header("X-GitHub-SSO")?.split(separator: ";").lazy.map { $0.trimmingWhitespace() }
        guard let text = parts?.first(where: { $0.hasPrefix("url=") }), let page = WebURL(String(text.dropFirst(4))),
            page.origin.scheme == .https, let own = WebURL("https://\(host)")?.origin.host
        else { return nil }
        return own == page.origin.host || own.hasSuffix("." + page.origin.host) ? page : nil
    }
}
