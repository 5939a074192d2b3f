import AuthModel
import Localization
import OAuth
import ResourceClient
import Testing

/// The decisions for a request with one session's token. No I/O.
struct AuthorizedRequestTests {
    private typealias Step = AuthorizedRequest.Step
    private typealias Event = AuthorizedRequest.Event

    private static let token = Secret("old-token")
    private static let ended = AuthFailure(.signInAgain, text: "the session of work has ended")
    private static let again = AuthorizedRequest.SignInCause.refused("phrase.token_no_longer_accepted")
    private static let background: Set<AuthorizedRequest.Recovery> = [.nonce]
    private static let proxy: Set<AuthorizedRequest.Recovery> = [.nonce, .renewal]
    private static let all: Set<AuthorizedRequest.Recovery> = [.nonce, .stepUp, .renewal, .signIn]

    private func exchange(
        _ challenge: ChallengeResponse, _ recoveries: Set<AuthorizedRequest.Recovery> = all,
        restrictions: TokenRestrictions = TokenRestrictions(), method: WebRequest.Method = .get, redirects: Redirects? = nil
    ) throws -> AuthorizedRequest {
        let request = WebRequest(method: method, url: try #require(WebURL("https://api.example/a")))
        return AuthorizedRequest(
            request, recoveries: recoveries, challenge: challenge, restrictions: restrictions, redirects: redirects)
    }

    /// Returns the steps that follow the first one, for these events in order.
    private func steps(_ exchange: AuthorizedRequest, _ events: Event...) -> [Step] {
        var exchange = exchange
        return events.map { exchange.next(after: $0) }
    }

    private let issued = Event.issued(Self.token)

    private func answered(_ verdict: TokenVerdict, status: Int? = nil, location: String? = nil, nonce: Bool = false) -> Event {
        .answered(.init(status: status ?? (verdict == .refused ? 401 : 200), location: location, verdict: verdict, hasNewNonce: nonce))
    }

    /// The sign-in that a resource requires for more scopes.
    private func requiredScopes(_ scopes: String) throws -> StepUp {
        let response = WebResponse(
            status: 403, headers: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"\(scopes)\"")], body: [])
        return try #require(try StepUp.requirements(in: response, host: "api.example", after: nil))
    }

    @Test(arguments: [ChallengeResponse.prompt, .fail, .anonymous]) func acceptedRequestEnds(challenge: ChallengeResponse) throws {
        #expect(try exchange(challenge).first == .authorize(refused: nil))
        #expect(steps(try exchange(challenge), issued, answered(.accepted)) == [.send, .finish])
    }

    // MARK: A refused token

    @Test func refusedTokenIsRenewedOnceThenTheUserSignsInOnce() throws {
        let refused = answered(.refused)
        let none = Event.required(nil)
        let steps = steps(
            try exchange(.prompt), issued, refused, none, issued, refused, none, .signedIn, issued, refused, none)
        let read = Step.readChallenge(after: nil)
        #expect(
            steps == [
                .send, read, .authorize(refused: Self.token), .send, read, .signIn(Self.again), .authorize(refused: nil), .send, read,
                .finish,
            ])
    }

    @Test func secondRefusalIsFinalWithoutAUserToAsk() throws {
        let events = [issued, answered(.refused), .required(nil), issued, answered(.refused), .required(nil)]
        for (challenge, last) in [(ChallengeResponse.fail, Step.finish), (.anonymous, .sendAnonymously)] {
            var machine = try exchange(challenge)
            #expect(events.map { machine.next(after: $0) }.last == last)
        }
    }

    /// A nonce comes before a renewal, with the same token, and both come once.
    @Test func nonceThenRenewal() throws {
        let nonce = answered(.refused, nonce: true)
        #expect(
            steps(try exchange(.fail, Self.proxy), issued, nonce, nonce, issued, nonce)
                == [.send, .send, .authorize(refused: Self.token), .send, .finish])
    }

    /// What a server causes by itself renews nothing, and asks for nothing.
    @Test func backgroundRequestOnlyGetsANonce() throws {
        let machine = try exchange(.fail, Self.background)
        #expect(steps(machine, issued, answered(.refused, nonce: true), answered(.refused)) == [.send, .send, .finish])
        #expect(steps(machine, issued, answered(.accepted, status: 403)) == [.send, .finish])
        #expect(
            steps(machine, .notIssued(Self.ended), .anonymousAccess(false, Self.ended)) == [
                .checkAnonymousAccess(Self.ended), .fail(Self.ended),
            ])
    }

    @Test func requestWithoutATokenIsNotRenewed() throws {
        #expect(
            steps(try exchange(.prompt), .issued(nil), answered(.refused), .required(nil))
                == [.send, .readChallenge(after: nil), .signIn(Self.again)])
    }

    // MARK: No token

    /// The session service, which hears of the refusal, knows whether the session can be renewed.
    @Test func refusedTokenOfASessionWithoutRenewalEndsIt() throws {
        let missing = Event.notIssued(Self.ended)
        #expect(
            steps(try exchange(.fail, Self.proxy), issued, answered(.refused), missing, .anonymousAccess(false, Self.ended)) == [
                .send, .authorize(refused: Self.token), .checkAnonymousAccess(Self.ended), .fail(Self.ended),
            ])
        #expect(
            steps(try exchange(.prompt), issued, answered(.refused), .required(nil), missing, .anonymousAccess(false, Self.ended)).last
                == .signIn(.noToken(Self.ended, afterRefusal: true)))
    }

    @Test func endedSessionAsksTheProviderBeforeTheUser() throws {
        let missing = Event.notIssued(Self.ended)
        let closed = Event.anonymousAccess(false, Self.ended)
        #expect(steps(try exchange(.anonymous), missing, answered(.refused)) == [.sendAnonymously, .finish])
        #expect(
            steps(try exchange(.fail), missing, .anonymousAccess(true, Self.ended)) == [
                .checkAnonymousAccess(Self.ended), .sendAnonymously,
            ])
        #expect(steps(try exchange(.fail), missing, closed) == [.checkAnonymousAccess(Self.ended), .fail(Self.ended)])
        #expect(
            steps(try exchange(.prompt), missing, closed, .signedIn, missing, closed) == [
                .checkAnonymousAccess(Self.ended), .signIn(.noToken(Self.ended, afterRefusal: false)), .authorize(refused: nil),
                .checkAnonymousAccess(Self.ended), .fail(Self.ended),
            ])
    }

    @Test func otherFailuresAreFinal() throws {
        let failure = AuthFailure(.unavailable(retryAfter: nil), text: "not reached")
        #expect(steps(try exchange(.prompt), .notIssued(failure)) == [.fail(failure)])
    }

    // MARK: A required sign-in

    @Test func requiredSignInFollowsTheOption() throws {
        let required = try requiredScopes("photos")
        let refused = answered(.accepted, status: 403)
        let read = Step.readChallenge(after: nil)
        #expect(
            steps(try exchange(.prompt), issued, refused, .required(required), .signedIn, issued, refused) == [
                .send, read, .stepUp(required), .authorize(refused: nil), .send, .readChallenge(after: required),
            ])
        #expect(steps(try exchange(.anonymous), issued, refused, .required(required)) == [.send, read, .sendAnonymously])
        guard case .fail(let failure) = steps(try exchange(.fail), issued, refused, .required(required)).last else {
            Issue.record("must fail")
            return
        }
        #expect(failure.kind == .denied(code: "insufficient_scope") && failure.hintText == "allow it with --challenge prompt")
    }

    /// The refusal is then about the token alone.
    @Test func uselessSignInIsFollowedByARenewal() throws {
        let required = try requiredScopes("photos")
        let refused = answered(.refused)
        #expect(
            steps(try exchange(.prompt), issued, refused, .required(required), .stepUpIsUseless)
                == [.send, .readChallenge(after: nil), .stepUp(required), .authorize(refused: Self.token)])
    }

    @Test func scopesThatTheUserExcludedAreNotRequested() throws {
        let required = try requiredScopes("photos")
        let machine = try exchange(.prompt, restrictions: TokenRestrictions(scopes: ["mail"]))
        guard case .fail(let failure) = steps(machine, issued, answered(.accepted, status: 403), .required(required)).last else {
            Issue.record("must fail")
            return
        }
        #expect(failure.summary == "api.example requires scopes that --scope excludes: photos")
    }

    // MARK: Redirects

    private func redirect(_ location: String, status: Int = 307) -> Event { answered(.accepted, status: status, location: location) }

    @Test func redirectWithinTheOriginGetsATokenOfItsOwn() throws {
        var machine = try exchange(.prompt, redirects: Redirects())
        _ = machine.next(after: issued)
        #expect(machine.next(after: redirect("/b", status: 302)) == .authorize(refused: nil))
        #expect(machine.request.url.text == "https://api.example/b")
        #expect(steps(try exchange(.fail, Self.proxy), issued, redirect("/b")) == [.send, .finish])
    }

    @Test(arguments: ["https://evil.example/", "http://api.example/", "https://api.example:444/", "//evil.example/"])
    func redirectToAnotherOriginFails(location: String) throws {
        guard case .fail(let failure) = steps(try exchange(.prompt, redirects: Redirects()), issued, redirect(location)).last else {
            Issue.record("must fail")
            return
        }
        #expect(failure.kind == .security)
    }

    /// A write is repeated only by a status that allows it, and only if the driver allows it.
    @Test(arguments: [(false, 307, false), (true, 307, true), (true, 308, true), (true, 302, false)])
    func redirectOfAWrite(repeatsBodies: Bool, status: Int, isFollowed: Bool) throws {
        let machine = try exchange(.prompt, method: .post, redirects: Redirects(repeatsBodies: repeatsBodies))
        let last = try #require(steps(machine, issued, redirect("/b", status: status)).last)
        if isFollowed { #expect(last == .authorize(refused: nil)) } else if case .fail = last {} else { Issue.record("must fail") }
    }

    /// The command prints such a response, and says why it is not followed.
    @Test func redirectThatIsNotFollowedMayBeTheFinalResponse() throws {
        let redirects = Redirects(returnsOthers: true)
        #expect(steps(try exchange(.fail, redirects: redirects), issued, redirect("https://files.example/a")) == [.send, .finish])
        #expect(steps(try exchange(.fail, method: .post, redirects: redirects), issued, redirect("/b", status: 302)) == [.send, .finish])
        #expect(steps(try exchange(.fail, redirects: redirects), issued, redirect("/b")).last == .authorize(refused: nil))
        #expect(steps(try exchange(.fail, method: .head, redirects: redirects), issued, redirect("/b")).last == .authorize(refused: nil))
    }

    /// A service may lead to its sign-in page in place of a refusal.
    @Test func redirectThatRefusesTheTokenIsNotFollowed() throws {
        let refusal = answered(.refused, status: 302, location: "/_signin")
        #expect(
            steps(try exchange(.fail, Self.proxy, redirects: Redirects()), issued, refusal, issued, refusal)
                == [.send, .authorize(refused: Self.token), .send, .finish])
    }

    /// A download takes neither credentials nor fields of the API to another host, and goes nowhere but to the public Internet.
    @Test(arguments: [
        ("https://api.example/a", "https://files.example/b?sig=%2f", true), ("https://api.example/a", "//files.example/b", true),
        ("https://api.example/a", "http://files.example/b", false), ("https://api.example/a", "/b", false),
        ("https://api.example/a", "https://127.0.0.1/b", false), ("https://api.example/a", "https://localhost/b", false),
        ("https://api.example/a", "https://10.0.0.1/b", false), ("https://api.example/a", "https://169.254.169.254/b", false),
        ("https://api.example/a", "https://[fd00::1]/b", false), ("https://api.example/a", "https://files.example/b#c", false),
        ("https://api.example/a", "https://files.example/../b", false), ("https://10.0.0.1/a", "https://10.0.0.2/b", true),
        ("http://127.0.0.1:8080/a", "https://127.0.0.1:8443/b", true), ("http://127.0.0.1:8080/a", "http://127.0.0.1:8081/b", false),
        ("https://api.example/a", "https://api.example:8443/b", true), ("https://api.example/a", "https://user@files.example/", false),
    ])
    func downloadLeavesItsHostWithoutCredentials(address: String, location: String, isFollowed: Bool) throws {
        let fields: [(name: String, value: String)] = [
            ("Accept", "*/*"), ("Authorization", "Bearer t"), ("X-Api-Key", "k"), ("Range", "bytes=0-9"), ("Cookie", "c"),
        ]
        let request = WebRequest(method: .get, url: try #require(WebURL(address)), headers: fields)
        let download = request.download(status: 302, location: location)
        #expect((download != nil) == isFollowed)
        if let download { #expect(download.headers.map(\.name) == ["Accept", "Range"] && download.url.text.hasSuffix(location)) }
        #expect(request.download(status: 200, location: location) == nil && request.download(status: 302, location: nil) == nil)
    }

    @Test func onlyAReadWithoutABodyIsADownload() throws {
        let url = try #require(WebURL("https://api.example/a"))
        let location = "https://files.example/b"
        #expect(WebRequest(method: .head, url: url).download(status: 307, location: location)?.method == .head)
        #expect(WebRequest(method: .post, url: url).download(status: 307, location: location) == nil)
        #expect(WebRequest(method: .delete, url: url).download(status: 308, location: location) == nil)
        #expect(WebRequest(method: .get, url: url, body: [1]).download(status: 307, location: location) == nil)
    }

    @Test func redirectsAreLimited() throws {
        var machine = try exchange(.prompt, redirects: Redirects())
        for number in 1...5 {
            #expect(machine.next(after: redirect("/\(number)")) == .authorize(refused: nil))
        }
        guard case .fail(let failure) = machine.next(after: redirect("/6")) else {
            Issue.record("must fail")
            return
        }
        #expect(failure.kind == .unavailable(retryAfter: nil))
    }

    @Test func redirectOfARequestWithoutATokenStaysWithoutOne() throws {
        let machine = try exchange(.anonymous, redirects: Redirects())
        #expect(
            steps(machine, .notIssued(Self.ended), redirect("/b"), answered(.refused)) == [.sendAnonymously, .sendAnonymously, .finish])
    }
}
