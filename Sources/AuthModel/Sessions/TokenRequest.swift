/// A request for a token of a session.
public struct TokenRequest: Equatable, Sendable {
    /// The type of the requested token.
    public enum Wanted: String, Sendable {
        case access
        case id
    }

    /// The way to ask the user if the policy is `ask`.
    public enum Asking: String, Sendable {
        /// The session service asks through its observers that can answer. If there are none, it refuses.
        case service = "agent"
        /// The session service asks first. If it has no observer that can answer, the caller asks and repeats the request with the answer.
        case caller
        /// The user is not asked for this request. The caller repeats it later, and only the later request is logged.
        case noPrompt = "none"
    }

    /// A role whose credentials are issued in place of the session's token, or the list of roles. Both give fewer rights.
    public enum RoleSubject: Equatable, Sendable {
        /// The list of the user's roles in all accounts.
        case list
        /// Temporary credentials of one role, `ACCOUNT/ROLE`.
        case credentials(String)
    }

    /// The user's answer, as passed on by the requester.
    public enum Consent: String, Sendable {
        case given
        case refused
        /// The user did not answer in time.
        case unanswered
    }

    /// The session.
    public var session: SessionName
    /// The type of the requested token.
    public var wanted: Wanted
    /// The minimum remaining lifetime of the token. If a renewal brings no such token, the existing token is issued.
    public var minimumValidity: Duration
    /// Whether the token may be renewed. If not, ``minimumValidity`` is strict.
    public var mayRenew: Bool
    /// The scopes and audience of the token. A token with less than the session's own is obtained by a renewal for this request.
    public var restrictions: TokenRestrictions
    /// The requesting program, for the log.
    public var caller: UserMessage?
    /// The purpose of the token in the requester's words, such as a host with a repository, for the question to the user
    /// and the log; `nil` if only ``resource`` tells.
    public var destination: String?
    /// The role, or the list of roles, that is issued in place of the token; `nil` for the token. Never taken from the caller's request.
    public var subject: RoleSubject?
    /// The requesting process, shown in the question to the user.
    public var process: Int32?
    /// The process that the requester asks for, such as a program behind its proxy. The agent believes it of Yett about a process that it
    /// has started, directly or through others; then that process's program is asked about and recorded.
    public var client: Int32?
    /// The way to ask the user.
    public var asking = Asking.service
    /// The user's answer; `nil` if the user was not asked.
    public var consent: Consent?
    /// The process that passed the user's answer on, for the log; `nil` if the caller did that itself. Never taken from the caller's
    /// request.
    public var witness: RequestingProcess?
    /// The URL that the token is for. It selects the session if the request names no account, and some kinds have a separate token for each
    /// server.
    public var resource: WebURL?
    /// A previously issued token that the resource refused. It is renewed unless the session has a newer token. If renewal is not
    /// permitted, it counts as expired from then on, and the request fails.
    public var refused: Secret?
    /// Whether the requesting program, such as kubectl, asks again only because a resource refused the token that it has. The agent then
    /// renews the token that it issued to the same program before, as if it were ``refused``.
    public var repetitionMeansRefusal = false
    /// Whether a program on another machine asks, through the restricted socket. That is no use of the keys by their user. Never taken from
    /// the caller's request.
    public var isForwarded = false
    /// The login for the web server in front of ``resource``, if the resource must be asked for its own token.
    public var webServerLogin: WebServerLogin?

    package init(
        session: SessionName, wanted: Wanted = .access, minimumValidity: Duration = SessionSummary.freshness, mayRenew: Bool = true,
        restrictions: TokenRestrictions = .session, caller: UserMessage? = nil, resource: WebURL? = nil, refused: Secret? = nil
    ) {
        self.session = session
        self.wanted = wanted
        self.minimumValidity = minimumValidity
        self.mayRenew = mayRenew
        self.restrictions = restrictions
        self.caller = caller
        self.resource = resource
        self.refused = refused
    }
}

/// A process that asks this one for something, or passes on the user's answer, as reported by the kernel.
public struct RequestingProcess: Equatable, Sendable {
    /// The name of the program.
    public var program: UserMessage
    /// The process identifier.
    public var process: Int32

    package init(program: UserMessage, process: Int32) {
        self.program = program
        self.process = process
    }
}

/// An issued token.
public struct IssuedToken: Equatable, Sendable {
    /// The token.
    public var token: Secret
    /// The authorization scheme of the token: `Bearer` or `DPoP`.
    public var tokenType: String
    /// When the token expires; `nil` if unknown.
    public var expiresAt: Timestamp?
    /// The scopes of the token.
    public var scopes: ScopeSet
    /// The session of the token.
    public var session: SessionName
    /// Header fields that must be sent with the token, for kinds that need more than the token.
    public var fields: [Field]
    /// The certificate that the user accepted for the server that the token is for.
    public var certificate: ServerCertificate?
    /// A warning for the caller: the clock of this machine seems to be wrong.
    public var warning: UserMessage?
    /// The normalized URL that the token was issued for. The requester may send the token only there. `nil` if the request named no URL.
    public var resource: WebURL?

    /// Whether the token is bound to a key, so that it needs a DPoP proof (RFC 9449).
    public var isBound: Bool { tokenType.asciiLowercased() == "dpop" }

    /// Throws `.configuration` if the token is bound to a key, because a resource refuses such a token as Bearer without a clear reason.
    public func requireUnbound() throws(AuthFailure) {
        guard isBound else { return }
        throw AuthFailure(
            .configuration, UserMessage("token.bound_to_key", ["session": session]),
            hint:
                UserMessage("hint.use_bound_token", ["session": session, "provider": session.provider])
        )
    }

    /// A header field. Its value may be as sensitive as a token.
    public struct Field: Equatable, Sendable {
        /// The field name.
        public var name: String
        /// The field value.
        public var value: String

        /// Creates a header field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates an issued token.
    public init(
        token: Secret, tokenType: String, expiresAt: Timestamp?, scopes: ScopeSet, session: SessionName, fields: [Field] = [],
        certificate: ServerCertificate? = nil
    ) {
        self.token = token
        self.tokenType = tokenType
        self.expiresAt = expiresAt
        self.scopes = scopes
        self.session = session
        self.fields = fields
        self.certificate = certificate
    }
}

/// The record of a token's use.
extension TokenRequest {
    /// The maximum length of ``destination``, in bytes.
    public static let destinationLimit = 200

    /// The purpose of the token, for records: in the requester's words, otherwise the host of ``resource``.
    public var recordedDestination: String? { destination ?? resource?.origin.authority }

    /// The message for the activity: a credential that was issued for the token earlier was issued again, to which program, for what.
    public var keptCredentialMessage: UserMessage {
        UserMessage(
            "activity.token_kind_issued_for",
            [
                "kind": "phrase.kept_credentials", "destination": recordedDestination ?? "-", "caller": caller ?? "phrase.a_program",
                "terms": UserMessage.empty,
            ])
    }

    /// The message for the activity: the token, or what takes its place, was issued, to which program, for what.
    public var issuedMessage: UserMessage {
        let program = caller ?? "phrase.a_program"
        switch subject {
        case .list?: return UserMessage("activity.role_list_issued", ["program": program])
        case .credentials(let role)?:
            return UserMessage("activity.role_credentials_issued", ["program": program, "destination": role])
        case nil: break
        }
        guard let recordedDestination else {
            return UserMessage("activity.token_issued", ["program": program, "restriction": restrictions.note])
        }
        return UserMessage(
            "activity.token_issued_for", ["program": program, "destination": recordedDestination, "restriction": restrictions.note])
    }
}

/// The user name and password for a web server in front of a resource that requires its own authentication.
public struct WebServerLogin: Equatable, Sendable {
    /// The HTTP authentication scheme.
    public enum Scheme: String, Sendable, CaseIterable {
        /// Basic (RFC 7617).
        case basic
        /// Digest (RFC 7616).
        case digest
    }

    /// The only server that receives them.
    public var origin: Origin
    /// The authentication scheme.
    public var scheme: Scheme
    /// The user name.
    public var username: String
    /// The password.
    public var password: Secret

    package init(origin: Origin, scheme: Scheme, username: String, password: Secret) {
        self.origin = origin
        self.scheme = scheme
        self.username = username
        self.password = password
    }
}

/// A server certificate that no known authority signed and that the user may accept for this server only.
public struct ServerCertificate: Equatable, Sendable {
    /// The only server that the certificate is accepted for.
    public var origin: Origin
    /// The certificate as PEM text.
    public var pem: String

    /// Creates a server certificate.
    public init(origin: Origin, pem: String) {
        self.origin = origin
        self.pem = pem
    }

    /// The form stored with a session.
    public var json: JSONValue { ["origin": .string(origin.description), "pem": .string(pem)] }

    /// Reads ``json``; returns `nil` for anything else.
    public init?(json: JSONValue?) {
        guard let origin = json?["origin"]?.string.flatMap(WebURL.init)?.origin, let pem = json?["pem"]?.string else { return nil }
        self.init(origin: origin, pem: pem)
    }
}

/// A request for a DPoP proof (RFC 9449) for one HTTP request to a resource.
///
/// The private key stays in the session service. The proof is valid only for this one request.
public struct ProofRequest: Equatable, Sendable {
    /// The session whose key signs the proof.
    public var session: SessionName
    /// The access token that is sent with the request, as it was issued.
    public var accessToken: Secret
    /// The HTTP method.
    public var method: String
    /// The URL of the request.
    public var url: WebURL
    /// The newest nonce from the resource.
    public var nonce: String?

    package init(session: SessionName, accessToken: Secret, method: String, url: WebURL, nonce: String? = nil) {
        self.session = session
        self.accessToken = accessToken
        self.method = method
        self.url = url
        self.nonce = nonce
    }
}
