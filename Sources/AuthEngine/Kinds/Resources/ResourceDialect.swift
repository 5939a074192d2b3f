public import AuthModel
public import OAuth

/// How the resources of a kind of provider take a token, and what their answers mean. No state, no I/O: the one who asks decides what
/// follows, so that a renewal, a sign-in and a request without a token happen once each, whatever the kind.
public protocol ResourceDialect: Sendable {
    /// `request` as these resources want it, before anything of a session is on it.
    func prepared(_ request: WebRequest) -> WebRequest

    /// Whether it is the address of a request that says which session asks, and a request may go out with none.
    var findsSessionByAddress: Bool { get }

    /// `request` with the token on it.
    func authorized(_ request: WebRequest, with grant: IssuedToken) -> WebRequest

    /// The header field that brings a token, as ``authorized(_:with:)`` writes it.
    func field(for grant: IssuedToken) -> (name: String, value: Secret)

    /// Whether a request only reads: sent again in another user's name, it changes nothing there.
    func isRead(_ request: WebRequest) -> Bool

    /// The same request with its field `Authorization` free for a web server in front; `nil` where the token has no other place.
    func yielding(_ request: WebRequest) -> WebRequest?

    /// The header fields that show who asks, in lower case: a request without a token has none of them.
    var credentialFields: Set<String> { get }

    /// What an answer says about the token that was sent.
    func verdict(on answer: WebResponse) -> TokenVerdict

    /// The failure that an answer means, when nothing more is to be done about it; `nil` for success.
    ///
    /// - Parameter host: who answered, for the message.
    func failure(_ answer: WebResponse, from host: String) -> AuthFailure?

    /// The vendor's own word for why it wants a token, or another one; one line.
    func reason(_ answer: WebResponse) -> String?

    /// The token that an answer puts in the place of the one that was sent.
    func newToken(in answer: WebResponse) -> Secret?
}

extension ResourceDialect {
    public func prepared(_ request: WebRequest) -> WebRequest { request }
    public var findsSessionByAddress: Bool { false }
    public var credentialFields: Set<String> { ["authorization", "proxy-authorization", "dpop", "cookie"] }
    public func yielding(_ request: WebRequest) -> WebRequest? {
        request.headers.contains { $0.name.lowercased() == "authorization" } ? nil : request
    }
    public func isRead(_ request: WebRequest) -> Bool { request.method == .get }
    public func field(for grant: IssuedToken) -> (name: String, value: Secret) {
        let scheme = grant.tokenType.lowercased() == "dpop" ? "DPoP" : "Bearer"
        return ("Authorization", Secret("\(scheme) \(grant.token.reveal())"))
    }
    public func reason(_ answer: WebResponse) -> String? { "status \(answer.status)" }
    public func newToken(in answer: WebResponse) -> Secret? { nil }
}

/// What a resource thinks of a token.
public enum TokenVerdict: Equatable, Sendable {
    /// It was taken, or the refusal has nothing to do with it.
    case taken
    /// This one is not taken any more: a renewed one may be.
    case refused
    /// Only a new sign-in helps: the provider's word for why, one line.
    case signInWanted(reason: String)
}

/// RFC 6750: the token as `Bearer`, refusals in `WWW-Authenticate`.
public struct BearerDialect: ResourceDialect {
    /// Fields that go along with every token.
    public var fields: [(name: String, value: String)]

    public init(fields: [(name: String, value: String)] = []) { self.fields = fields }

    public func authorized(_ request: WebRequest, with grant: IssuedToken) -> WebRequest {
        var request = request
        let field = field(for: grant)
        request.headers.append((field.name, field.value.reveal()))
        request.headers += fields
        return request
    }

    /// 401 with `invalid_token`, or without any word on why.
    public func verdict(on answer: WebResponse) -> TokenVerdict {
        guard answer.status == 401 else { return .taken }
        let errors = answer.tokenChallenges.compactMap(\.error)
        return errors.isEmpty || errors.contains { $0.code == "invalid_token" } ? .refused : .taken
    }

    public func failure(_ answer: WebResponse, from host: String) -> AuthFailure? {
        switch answer.status {
        case 200..<300: return nil
        case 408, 429, 500...:
            return AuthFailure(
                .unavailable(retryAfter: nil), "\(host) answered with status \(answer.status)", hint: "try again in a moment")
        default:
            let error = answer.tokenChallenges.lazy.compactMap(\.error).first
            return AuthFailure(
                .denied(code: error?.code),
                "\(host) refused the request with status \(answer.status)" + (error.map { ": \($0.line)" } ?? ""))
        }
    }
}
