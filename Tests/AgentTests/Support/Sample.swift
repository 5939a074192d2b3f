import AuthModel

/// Values with every member set.
enum Sample {
    static let details = ProviderDetails(
        isSignInRequired: true, issuer: Issuer("https://id.example.org"), scopes: ["openid"],
        clients: [.init(id: "app", identityProviders: ["google"])])

    static let name = named("work/Ada Lovelace")
    static let provider = {
        var provider = ProviderSummary(
            name: name.provider, kind: .oidc, address: "https://id.example.org", scopes: ["openid", "mail"], offersSignUp: true,
            accounts: ["Ada Lovelace", "bob"])
        provider.defaultAccount = "bob"
        provider.base = named("idp/eve")
        return provider
    }()
    static let session: SessionSummary = SessionSummary(
        name: name, issuer: "https://id.example.org", subject: "248289761001", recordedState: .signedIn,
        accessExpiresAt: Timestamp(milliseconds: 1_800_000_000_123), refreshExpiresAt: Timestamp(milliseconds: 1_900_000_000_000),
        isRenewable: true, nextRenewalAt: Timestamp(milliseconds: 1_799_999_000_000), scopes: ["openid", "mail"],
        grantedAt: Timestamp(milliseconds: 1_700_000_000_000), receivedAt: Timestamp(milliseconds: 1_700_000_000_999),
        lastUsedAt: Timestamp(milliseconds: 1_700_000_001_000), lastUsedBy: .verbatim("/usr/bin/git"),
        warnings: [.verbatim("one\u{202E}two"), "session.no_refresh_token_issued"])
    static let bare = SessionSummary(
        name: named("work/ü"), issuer: nil, subject: nil, recordedState: .needsSignIn, accessExpiresAt: nil,
        refreshExpiresAt: nil, isRenewable: false, scopes: [], grantedAt: Timestamp(milliseconds: 0), receivedAt: Timestamp(milliseconds: 1)
    )
    static let grant = IssuedToken(
        token: Secret("at-\"\\\u{E9}-0123456789"), tokenType: "Bearer", expiresAt: Timestamp(milliseconds: 1_800_000_000_123),
        scopes: ["openid", "mail"], session: name)
    static let view: TokenView = {
        var view = TokenView(
            kind: .id, redacted: .verbatim("eyJh…"), expiresAt: Timestamp(milliseconds: 1_800_000_000_000), header: ["alg": "ES256"],
            claims: ["sub": "1", "n": .number("1e400"), "deep": [["x": .null]]], verification: .verified(algorithm: "ES256", keyID: "k1"))
        view.formerClaims = ["sub": "1", "n": 2]
        return view
    }()
    static let detail: SessionDetail = {
        var detail = bareDetail
        detail.actions = [SessionCapability("comment", needsSignIn: true), SessionCapability("view", needsSignIn: false)]
        return detail
    }()
    private static let bareDetail = SessionDetail(
        summary: session,
        identity: Identity(issuer: "https://id.example.org", subject: "1", idTokenClaims: ["a": 1], userInfo: ["name": "Ada"]),
        clientID: "yett",
        tokens: [
            view,
            TokenView(
                kind: .refresh, redacted: .verbatim("12 characters"), expiresAt: nil, header: nil, claims: nil, verification: .opaque),
            TokenView(
                kind: .access, redacted: .verbatim("…"), expiresAt: nil, header: nil, claims: nil,
                verification: .unverified(reason: .verbatim("not ours"))),
        ], apiHosts: ["api.example.org"], resources: ["https://api.example.org/"])
    static let remoteToken = RemoteToken(
        id: "t-1", suffix: "9abc", kind: "access_token", scopes: ["openid"], issuedAt: Timestamp(milliseconds: 1_700_000_000_000),
        expiresAt: nil)
    static let receipt = SignOutReceipt(
        session: name,
        entries: [
            .init(.revokeRefreshToken, .done), .init(.revokeAccessToken, .skipped(reason: .verbatim("there is none"))),
            .init(.endBrowserSession, .failed(reason: .verbatim("no"), isQueued: true)),
        ], browserURL: WebURL("http://127.0.0.1:8400/once"), shownURL: WebURL("https://id.example.org/logout?client_id=yett"),
        browserReturn: WebURL("http://127.0.0.1:8400/callback").map {
            BrowserReturn(id: .init("return-1"), redirect: $0, endsAt: Timestamp(seconds: 1_800_000_000))
        })
    static let registration: WebURL = {
        guard let url = WebURL("https://id.example.org/register/1") else { preconditionFailure("no URL") }
        return url
    }()
    static let management: ClientManagement = {
        guard let issuer = Issuer("https://id.example.org") else { preconditionFailure("no issuer") }
        return ClientManagement(issuer: issuer, clientID: "client-1", url: registration, token: Secret("rat-0123456789"))
    }()
    static let proof = ProofRequest(
        session: name, accessToken: Secret("at-1"), method: "GET", url: registration, nonce: "nonce-1")
    static let notSignedIn = AuthFailure(.notSignedIn, text: "not signed in", hint: "sign in with: yett login work")

    static let failures: [AuthFailure] = [
        AuthFailure(.bug, text: "a"), AuthFailure(.configuration, text: "b", hint: "c"), AuthFailure(.cancelled, text: "d"),
        AuthFailure(.timedOut, text: "e"),
        AuthFailure(.denied(code: nil), text: "f"), AuthFailure(.denied(code: "access_denied"), text: "g"),
        AuthFailure(.signInAgain, text: "h"),
        AuthFailure(.unavailable(retryAfter: nil), text: "i"), AuthFailure(.unavailable(retryAfter: .milliseconds(1500)), text: "j"),
        AuthFailure(.security, text: "k"), AuthFailure(.notSignedIn, text: "l"), AuthFailure(.alreadySignedIn, text: "m"),
        AuthFailure(.usage, text: "n"),
    ]

    static let signInEvents: [SignInEvent] = {
        guard let url = WebURL("https://id.example.org/authorize?state=x"), let page = WebURL("https://id.example.org/device") else {
            return []
        }
        return [
            .planned(SignInStep.standard), .began(.discover), .completed(.discover),
            .hosts(authorization: "id.example.org", token: "token.example.org"),
            .available(.browser(url: url, redirect: "http://127.0.0.1:1/callback")), .available(.signUpPage(url)),
            .available(.device(DeviceCodePrompt(userCode: "WDJB-MJHT", page: page, completePage: page, qrCode: ["██", "  "]))),
            .available(.sshForward(command: "ssh -L 1:localhost:1 host")), .available(.paste), .authenticator(page: page),
            .asked(
                SignInForm(
                    title: .verbatim("Who vouches for you"),
                    fields: [
                        .init(
                            id: "idp", label: .verbatim("Identity provider"), kind: .choice([.init("google", title: .verbatim("Google"))]),
                            suggestion: "google"),
                        .init(id: "password", label: .verbatim("Password"), kind: .secret, isRequired: false),
                    ], refusal: AuthFailure(.denied(code: "400"), text: "wrong", hint: "try again"))),
            .available(.sshForward(command: "ssh -L 1:localhost:1 host")), .available(.paste), .deviceCodeOffered,
            .stepFailed(
                .discover,
                AuthFailure(
                    .unavailable(retryAfter: nil),
                    UserMessage("metadata.endpoint_missing", ["host": "id.example.org", "endpoint": "jwks_uri"]))),
            .deviceCodeRefused(reason: .verbatim("the client may not")),
            .deadline(Timestamp(milliseconds: 1_800_000_000_000)),
            .ignoredCallback(reason: .verbatim("state")), .warning(.verbatim("w")), .finished(.success(session)),
            .finished(.failure(failures[8])), .finishedWithoutSession(NoSession(.notNeeded, .verbatim("the key gives access"))),
            .finishedWithoutSession(NoSession(.accountRequested, .verbatim("check your email"), hint: .verbatim("open the link"))),
        ]
    }()

    static let question = TokenConsentRequest(
        id: TokenConsentRequest.ID("x-1"), session: name, wanted: .access,
        restrictions: TokenRestrictions(scopes: ["read"], audience: "https://api.example.org/"), program: .verbatim("/usr/bin/git"),
        process: 7, destination: "registry.example.org/app", deadline: Timestamp(milliseconds: 1_700_000_030_000))

    static let roleQuestions = [TokenRequest.RoleSubject.list, .credentials("000000000001/ReadOnly")].map { subject in
        TokenConsentRequest(
            id: TokenConsentRequest.ID("x-2"), session: name, wanted: .access, program: .verbatim("/usr/bin/aws"), process: 7,
            subject: subject, deadline: Timestamp(milliseconds: 1_700_000_030_000))
    }

    static let serviceEvents: [SessionServiceEvent] = [
        .sessionsChanged([session, bare]), .storeStateChanged(.unlocked), .storeStateChanged(.locked(isNew: true)),
        .activity(Activity(at: Timestamp(milliseconds: 1_700_000_000_000), kind: .issued, session: name, message: .verbatim("token"))),
        .activity(Activity(at: Timestamp(milliseconds: 1_700_000_000_000), kind: .signInFailed, session: nil, message: .verbatim("no"))),
        .asked(question), .asked(roleQuestions[0]), .asked(roleQuestions[1]), .settled(question.id),
    ]

    static func named(_ text: String) -> SessionName {
        guard let name = SessionName(text) else { preconditionFailure("\(text) is no name") }
        return name
    }
}
