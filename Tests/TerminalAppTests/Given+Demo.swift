import AuthModel
import Sandbox
import TerminalUI
import Testing

@testable import TerminalApp

extension Given {
    /// The time between the start of the demo and what it shows.
    private static let shownAfter = Duration.seconds(40)

    /// The app as `yett demo` opens it: with the sessions and the history of its seed.
    ///
    /// - Parameter name: the session to select, whose details are loaded; `nil` leaves the first one selected.
    static func demo(size: Size = Size(columns: 80, rows: 24), opening name: String? = nil) throws -> AppState {
        let start = Sample.now - shownAfter
        var providers = try DemoContent.places.map { place in
            var provider = try Sample.provider(
                place.name, address: place.vendor == nil ? "127.0.0.1:8400" : "127.0.0.1:8402", accounts: place.users)
            provider.hasRoles = place.vendor == .awsSSO
            return provider
        }
        providers += [try Sample.provider("openweb", address: "127.0.0.1:8401"), try Sample.provider("sandbox", address: "127.0.0.1:8400")]
        var state = loaded(providers: providers, sessions: try demoSessions(openedAt: start).sorted { $0.name < $1.name }, size: size)
        let uses = try (DemoContent.history + DemoContent.uses + DemoContent.renewals).map { event in
            let session = try Sample.name(event.session)
            let message = event.program.map { program in
                let request = TokenRequest(session: session, caller: .verbatim("/usr/bin/\(program)"))
                return (event.role.map { IssueRoleCredentials(of: $0, request).namedRequest } ?? request).issuedMessage
            }
            let isRefused = message == nil && event.session == DemoContent.refused
            return Activity(
                at: start - event.ago, kind: message != nil ? .issued : isRefused ? .renewalFailed : .renewed, session: session,
                message: message ?? (isRefused ? .verbatim("the provider refused the refresh token") : "renewal.done"), count: event.count)
        }
        let signIns = try DemoContent.places.flatMap { place in
            try place.signIns.map { signIn in
                Activity(
                    at: start - signIn.ago, kind: .signedIn, session: try Sample.name("\(place.name)/\(signIn.user)"),
                    message: UserMessage("sign_in.done", ["host": "127.0.0.1:8400"]))
            }
        }
        let history = (uses + signIns).sorted { $0.at < $1.at }
        _ = state.take(.activityLoaded(history.reversed()))
        state.model.asksGuests = false
        guard let name = try name.map(Sample.name) else { return state }
        for _ in 0..<20 where state.current.as(SessionsScreen.self)?.selectedName != name { _ = state.press(.down) }
        let session = try #require(state.model.session(name))
        #expect(state.current.as(SessionsScreen.self)?.selectedName == name)
        _ = state.take(.sessionLoaded(name, .success(Sample.detail(session))))
        return state
    }

    private static func demoSessions(openedAt start: Timestamp) throws -> [SessionSummary] {
        let guest = SessionSummary(
            name: try Sample.name("openweb/guest"), issuer: nil, subject: nil, recordedState: .guest,
            accessExpiresAt: start + .seconds(3600), refreshExpiresAt: nil, isRenewable: false, scopes: [], grantedAt: start,
            receivedAt: start)
        return [guest]
            + (try DemoContent.places.flatMap { place in
                try place.signIns.enumerated().map { index, signIn in
                    let name = try Sample.name("\(place.name)/\(signIn.user)")
                    let isRefused = name.description == DemoContent.refused
                    let granted = start - signIn.ago
                    let renewal = DemoContent.renewals.first { $0.session == name.description && !isRefused }
                    // A short one was renewed again.
                    let isShort = place.lifetimes.accessToken < shownAfter + .seconds(60) && renewal != nil
                    let received = isShort ? Sample.now - .seconds(10 + 20 * index) : renewal.map { start - $0.ago } ?? granted
                    let end = isRefused ? nil : received + place.lifetimes.accessToken
                    let isRenewable = place.lifetimes.refreshToken != nil && !isRefused
                    let use = DemoContent.uses.first { $0.session == name.description }
                    return SessionSummary(
                        name: name, issuer: place.vendor == nil ? "http://127.0.0.1:8400" : "http://127.0.0.1:8402/start",
                        subject: place.vendor == nil ? signIn.user : "",
                        recordedState: isRefused ? .needsSignIn : .signedIn, accessExpiresAt: end, refreshExpiresAt: nil,
                        isRenewable: isRenewable, nextRenewalAt: isRenewable ? end.map { $0 - .seconds(60) } : nil,
                        scopes: place.vendor == nil ? ["openid", "profile", "email", "offline_access"] : [],
                        grantedAt: granted, receivedAt: received, lastUsedAt: use.map { start - $0.ago },
                        lastUsedBy: (use?.program).map(UserMessage.verbatim))
                }
            })
    }
}
