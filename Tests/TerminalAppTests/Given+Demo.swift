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
            try Sample.provider(place.name, address: "127.0.0.1:8400", accounts: place.users)
        }
        providers += [try Sample.provider("openweb", address: "127.0.0.1:8401"), try Sample.provider("sandbox", address: "127.0.0.1:8400")]
        var state = loaded(providers: providers, sessions: try demoSessions(openedAt: start).sorted { $0.name < $1.name }, size: size)
        let history = try DemoContent.history.map { event in
            let session = try Sample.name(event.session)
            let message = event.program.map { TokenRequest(session: session, caller: .verbatim("/usr/bin/\($0)")).issuedMessage }
            return Activity(
                at: start - event.ago, kind: message == nil ? .renewed : .issued, session: session, message: message ?? "renewal.done",
                count: event.count)
        }
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
                try place.users.map { user in
                    let name = try Sample.name("\(place.name)/\(user)")
                    let isRefused = name.description == DemoContent.refused
                    // A short one was renewed already.
                    let short = place.lifetimes.accessToken < shownAfter + .seconds(60) && place.lifetimes.refreshToken != nil
                    let received = short ? Sample.now - .seconds(10) : start
                    let end = isRefused ? nil : received + place.lifetimes.accessToken
                    let isRenewable = place.lifetimes.refreshToken != nil && !isRefused
                    let use = DemoContent.uses.first { $0.session == name.description }
                    return SessionSummary(
                        name: name, issuer: "http://127.0.0.1:8400", subject: user, recordedState: isRefused ? .needsSignIn : .signedIn,
                        accessExpiresAt: end, refreshExpiresAt: nil, isRenewable: isRenewable,
                        nextRenewalAt: isRenewable ? end.map { $0 - .seconds(60) } : nil,
                        scopes: ["openid", "profile", "email", "offline_access"],
                        grantedAt: start, receivedAt: received, lastUsedAt: use.map { _ in start + .seconds(2) },
                        lastUsedBy: (use?.program).map(UserMessage.verbatim))
                }
            })
    }
}
