import AuthModel
import Localization
import OAuth
import ResourceClient
import Testing

/// The decisions for a request whose address selects the session. No I/O.
struct ResourceExchangeTests {
    private static let ended = AuthFailure(.signInAgain, text: "the session of ada has ended")
    private static let missing = AuthFailure(.notSignedIn, text: "not signed in")

    private func exchange(
        _ challenge: ChallengeResponse, _ requirement: SessionRequirement = .anybody, isRead: Bool = true, confirms: Bool = false
    ) throws -> ResourceExchange {
        ResourceExchange(
            name: try name("site"), host: "site.example", challenge: challenge, requirement: requirement, isRead: isRead,
            confirmsUntrustedCertificates: confirms)
    }

    private func name(_ text: String) throws -> SessionName { try #require(SessionName(text)) }

    private func token(_ session: String) throws -> IssuedToken {
        IssuedToken(token: Secret("token-of-\(session)"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: try name(session))
    }

    private func session(_ text: String, _ state: SessionState = .signedIn) throws -> SessionSummary {
        let time = Timestamp(milliseconds: 0)
        return SessionSummary(
            name: try name(text), issuer: nil, subject: nil, recordedState: state, accessExpiresAt: nil, refreshExpiresAt: nil,
            isRenewable: true, scopes: [], grantedAt: time, receivedAt: time)
    }

    /// Returns the last step, in words, after these events in order.
    private func step(_ exchange: ResourceExchange, _ events: ResourceExchange.Event...) -> String {
        var exchange = exchange
        var last = ""
        for event in events { last = describe(exchange.next(after: event)) }
        return last
    }

    private func describe(_ step: ResourceExchange.Step) -> String {
        switch step {
        case .select(let refused): refused == nil ? "select" : "select another"
        case .send(.token(let token), let warning): "send as \(token.session)" + (warning.map { "; \($0.english)" } ?? "")
        case .send(.missing, _): "send without a token"
        case .sendAnonymously: "send anonymously"
        case .signIn(let failure): "sign in: \(failure.summary)"
        case .finish(let failure): failure == nil ? "finish" : "finish without a token"
        case .finishRefused: "finish refused"
        case .fail(let failure): "fail: \(failure.summary)"
        }
    }

    @Test func acceptedRequestEnds() throws {
        let ada = try token("site/ada")
        #expect(step(try exchange(.fail), .started(isSignedIn: false)) == "select")
        #expect(step(try exchange(.fail), .issued(ada, session: nil)) == "send as site/ada")
        #expect(step(try exchange(.fail), .issued(ada, session: nil), .accepted) == "finish")
        #expect(step(try exchange(.fail), .notIssued(Self.missing, hasGuest: false), .accepted) == "finish without a token")
    }

    @Test func requiredUserSignsInFirst() throws {
        #expect(step(try exchange(.prompt, .signedIn), .started(isSignedIn: true)) == "select")
        #expect(step(try exchange(.prompt, .signedIn), .started(isSignedIn: false)) == "sign in: not signed in: site")
        #expect(step(try exchange(.fail, .signedIn), .started(isSignedIn: false)) == "fail: not signed in: site")
        #expect(step(try exchange(.prompt, .signedIn), .started(isSignedIn: false), .signInSkipped) == "send anonymously")
    }

    @Test func refusedTokenIsRenewedOnceThenTheUserSignsInOnce() throws {
        let issued = ResourceExchange.Event.issued(try token("site/ada"), session: try session("site/ada"))
        let refused = ResourceExchange.Event.refused(reason: "no", session: try session("site/ada"))
        #expect(step(try exchange(.prompt), issued, refused) == "select another")
        let second = "site.example also refused the renewed token: no"
        #expect(step(try exchange(.prompt), issued, refused, issued, refused) == "sign in: \(second)")
        #expect(step(try exchange(.prompt), issued, refused, issued, refused, .signedIn) == "select")
        #expect(step(try exchange(.prompt), issued, refused, issued, refused, .signedIn, issued, refused) == "fail: \(second)")
        #expect(step(try exchange(.fail), issued, refused, issued, refused) == "fail: \(second)")
        #expect(step(try exchange(.anonymous), issued, refused, issued, refused) == "send anonymously")
    }

    @Test func readContinuesAsAGuestOnceAndSaysSo() throws {
        let issued = ResourceExchange.Event.issued(try token("site/ada"), session: try session("site/ada"))
        let refused = ResourceExchange.Event.refused(reason: nil, session: try session("site/ada"))
        let ended = ResourceExchange.Event.notIssued(Self.ended, hasGuest: true)
        let guest = ResourceExchange.Event.issued(try token("site/guest"), session: try session("site/guest", .guest))
        #expect(step(try exchange(.fail), issued, refused, ended) == "select")
        #expect(
            step(try exchange(.fail), issued, refused, ended, guest)
                == "send as site/guest; the session of ada has ended; continuing as a guest")
        var machine = try exchange(.fail)
        #expect(!machine.mayUseGuest && !machine.needsSession)
        _ = machine.next(after: issued)
        _ = machine.next(after: refused)
        #expect(machine.mayUseGuest)
        _ = machine.next(after: ended)
        #expect(!machine.mayUseGuest && machine.needsSession)
    }

    @Test func writeStaysWithItsUser() throws {
        let issued = ResourceExchange.Event.issued(try token("site/ada"), session: try session("site/ada"))
        let refused = ResourceExchange.Event.refused(reason: nil, session: try session("site/ada"))
        let write = try exchange(.fail, isRead: false)
        #expect(step(write, issued, refused, issued) == "send as site/ada")
        let other = ResourceExchange.Event.issued(try token("site/eve"), session: try session("site/eve"))
        #expect(step(write, issued, refused, other) == "fail: the request as site/ada was refused, and is not sent again as site/eve")
        let guest = ResourceExchange.Event.issued(try token("site/ada"), session: try session("site/ada", .guest))
        #expect(step(write, issued, refused, guest) == "fail: the request as site/ada was refused, and is not sent again as a guest")
        let none = ResourceExchange.Event.notIssued(Self.missing, hasGuest: false)
        #expect(
            step(write, issued, refused, none)
                == "fail: the request as site/ada was refused, and is not sent again as an anonymous user")
        let ended = ResourceExchange.Event.notIssued(Self.ended, hasGuest: true)
        #expect(
            step(write, issued, refused, ended)
                == "fail: the session of ada has ended; the request was not sent again as a guest")
    }

    @Test func missingTokenLeadsToASignInWhenTheResourceWantsOne() throws {
        let none = ResourceExchange.Event.notIssued(Self.missing, hasGuest: false)
        let refused = ResourceExchange.Event.refused(reason: "status 401", session: nil)
        #expect(step(try exchange(.prompt), none) == "send without a token")
        #expect(step(try exchange(.prompt), none, refused) == "sign in: not signed in; site.example says status 401")
        #expect(step(try exchange(.anonymous), none, refused) == "finish refused")
        #expect(step(try exchange(.fail), none, refused) == "fail: not signed in; site.example says status 401")
    }

    @Test func untrustedServerIsConfirmedBySigningIn() throws {
        let none = ResourceExchange.Event.notIssued(Self.missing, hasGuest: false)
        let untrusted = ResourceExchange.Event.notSent(AuthFailure(.security, text: "self-signed"))
        #expect(step(try exchange(.prompt, confirms: true), none, untrusted) == "sign in: self-signed")
        #expect(step(try exchange(.prompt, confirms: false), none, untrusted) == "fail: self-signed")
        #expect(step(try exchange(.fail, confirms: true), none, untrusted) == "fail: self-signed")
        let issued = ResourceExchange.Event.issued(try token("site/ada"), session: nil)
        #expect(step(try exchange(.prompt, confirms: true), issued, untrusted) == "fail: self-signed")
    }

    @Test func passwordOfAWebServerSelectsTheCredentialsAgain() throws {
        let none = ResourceExchange.Event.notIssued(Self.missing, hasGuest: false)
        #expect(step(try exchange(.prompt), none, .admitted) == "select")
    }
}
