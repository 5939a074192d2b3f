/// A request for a token of a session.
public struct TokenRequest: Equatable, Sendable {
    public enum Wanted: String, Sendable {
        case access
        case id
    }

    /// Who asks the person, where the policy is to ask.
    public enum Asking: String, Sendable {
        /// The session service asks those who watch it and answer; where there is nobody, it refuses.
        case service = "agent"
        /// The session service does as well; where there is nobody, the caller asks, and comes back with the answer.
        case caller
        /// Nobody is asked for this request: the caller comes back with another one, which is the one to be written down.
        case nobody
    }

    /// What a person answered to the one who asks for the token.
    public enum Consent: String, Sendable {
        case given
        case refused
        /// Nothing, until it was too late.
        case unanswered
    }

    public var session: SessionName
    public var wanted: Wanted
    /// How long the token must still be good. Where a renewal brings none that is, the token that there is will do.
    public var minimumValidity: Duration
    /// Whether a renewal may be made for it. Where none may, ``minimumValidity`` is held to the letter.
    public var mayRenew: Bool
    /// What the token is to be good for. Those that are less than the session's are made for the request, by a renewal.
    public var terms: TokenRestrictions
    /// The program that asks, for the record.
    public var caller: String?
    /// The process that asks, for the question to the person.
    public var process: Int32?
    public var asking = Asking.service
    /// `nil`: nobody was asked.
    public var consent: Consent?
    /// Who passed the user's answer on, for the record; `nil` where the caller did so itself. It never comes from the caller.
    public var consentWitness: ConsentConfirmation?
    /// What the token is for: it decides which session's it is where the account is not named, and some kinds have a token for every
    /// server.
    public var resource: WebURL?
    /// A token that was issued before and that the resource no longer takes: it is renewed, unless there is another one by now. Where no
    /// renewal may be made, it counts as expired from then on, and the request fails.
    public var refused: Secret?
    /// What the web server in front of ``resource`` wants, where the resource must be asked for a token of its own.
    public var webServerLogin: WebServerLogin?

    public init(
        session: SessionName, wanted: Wanted = .access, minimumValidity: Duration = SessionSummary.freshness, mayRenew: Bool = true,
        terms: TokenRestrictions = .session, caller: String? = nil, resource: WebURL? = nil, refused: Secret? = nil
    ) {
        self.session = session
        self.wanted = wanted
        self.minimumValidity = minimumValidity
        self.mayRenew = mayRenew
        self.terms = terms
        self.caller = caller
        self.resource = resource
        self.refused = refused
    }
}

/// The process that passes a user's answer on, as the kernel says.
public struct ConsentConfirmation: Equatable, Sendable {
    public var program: String
    public var process: Int32

    public init(program: String, process: Int32) {
        self.program = program
        self.process = process
    }
}

/// A token that was handed out.
public struct IssuedToken: Equatable, Sendable {
    public var token: Secret
    /// `Bearer`, `DPoP`: the scheme it is sent under.
    public var tokenType: String
    public var expiresAt: Timestamp?
    public var scopes: ScopeSet
    public var session: SessionName
    /// Header fields that go along with it, at kinds whose tokens are not enough alone.
    public var fields: [Field]
    /// The certificate that the person lets stand for the server that the token is for.
    public var certificate: ServerCertificate?
    /// What the caller should be told along with the token: that this machine's clock seems to be wrong.
    public var warning: String?
    /// The normalized URL that the token was issued for, and the only one that it may be sent to by whoever asked with it; `nil` where the
    /// caller named none.
    public var resource: WebURL?

    /// Whether the token is bound to a key, so that it is of no use without a proof (RFC 9449).
    public var isBound: Bool { tokenType.lowercased() == "dpop" }

    /// Throws `.configuration` where the token is bound to a key: sent as Bearer it is refused, and nobody would know why.
    public func requireUnbound() throws(AuthFailure) {
        guard isBound else { return }
        throw AuthFailure(
            .configuration, "the token of \(session) is bound to a key, and of no use alone",
            hint:
                "for one request: yett token \(session.shellWord) --dpop METHOD URL; for tools set dpop = \"off\" in [providers.\(session.provider)], and sign in again"
        )
    }

    /// A header field. Its value may be as good as a token.
    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

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
