import AuthModel
import Localization
import TerminalUI
import Testing

@testable import TerminalApp

/// The parts, the times, the scopes and the changes of a token in the inspector.
@Suite struct TokenAnatomyTests {
    private static func name() throws -> SessionName { try Sample.name("work/ada@example.org") }
    private static let wide = Size(columns: 100, rows: 40)

    /// What can be decoded is first, so that the screen opens on its first tab.
    @Test func opensOnTheFirstTab() throws {
        let id = try #require(Sample.detail(try Sample.session("work/ada")).tokens.last)
        func opaque(_ kind: TokenView.Kind) -> TokenView {
            TokenView(kind: kind, redacted: "x", expiresAt: nil, header: nil, claims: nil, verification: .opaque)
        }
        var introspected = opaque(.access)
        introspected.claims = .object((0..<20).map { JSONValue.Member("claim-\($0)", true) })
        for (tokens, kinds) in [
            ([opaque(.access), opaque(.refresh), id], [.id, .access, .refresh]),
            ([Given.accessToken(scope: "a"), opaque(.refresh), id], [.access, .id, .refresh]),
            ([opaque(.access)], [.access]), ([introspected, id], [.id, .access]),
        ] as [([TokenView], [TokenView.Kind])] {
            let screen = try #require(try Given.inspector(tokens).current.as(InspectorScreen.self))
            #expect(screen.tokens.map(\.kind) == kinds && screen.selected == 0)
        }
    }

    /// New tokens after a renewal do not move the user to another one.
    @Test func keepsTheSelectedToken() throws {
        var state = Given.pressed(try Given.inspector(), .tab)
        let tokens = try #require(state.current.as(InspectorScreen.self)).tokens
        _ = state.take(.tokensLoaded(try Self.name(), .success(tokens)))
        #expect(state.current.as(InspectorScreen.self)?.token?.kind == .access)
    }

    @Test func partsOfAJWTHaveThreeRoles() throws {
        let picture = try Given.inspector([Given.accessToken(scope: "openid")]).picture(Self.wide)
        let row = try #require(picture.find("eyJhbG…"))
        #expect(picture.text.contains("eyJhbG….••••••••.••••••••  [812 characters]"))
        let roles = [0, 8, 17].map { picture.style(at: Point(column: row.left + $0, row: row.top))?.role }
        #expect(roles == [.info, .success, .muted])
        for (title, role) in [("Header", Role.info), ("Payload", .success), ("Signature", .muted)] {
            let place = try #require(picture.find(title))
            #expect(picture.style(at: Point(column: place.left, row: place.top))?.role == role)
        }
    }

    @Test func rulerPlacesTimesInProportion() {
        let start = Sample.now
        let ruler = TimeRuler(
            [
                .init("exp in 30 min", at: start + .seconds(3600)), .init("now", at: start + .seconds(1800), isNow: true),
                .init("iat 30 min ago", at: start),
            ], columns: 61)
        #expect(ruler.marks == [0, 30, 60])
        #expect(ruler.now == 30)
        #expect(ruler.labels.map(\.column) == [0, 29, 48])
        #expect(ruler.labels.map(\.row) == [0, 0, 0])
    }

    /// Labels never overlap and never leave the ruler.
    @Test(arguments: [20, 30, 61, 100], [Int64(0), 1, 60, 1800, 3599, 3600, 90_000])
    func rulerLabelsDoNotOverlap(columns: Int, now: Int64) {
        let start = Sample.now
        let ruler = TimeRuler(
            [
                .init("nbf 30 min ago", at: start), .init("iat 30 min ago", at: start + .seconds(5)),
                .init("now", at: start + .seconds(now), isNow: true), .init("exp in 30 min", at: start + .seconds(3600)),
            ], columns: columns)
        #expect(ruler.marks.allSatisfy { (0..<columns).contains($0) } && ruler.marks == ruler.marks.sorted())
        for row in Set(ruler.labels.map(\.row)) {
            let labels = ruler.labels.filter { $0.row == row }.sorted { $0.column < $1.column }
            for label in labels { #expect(label.column >= 0 && label.column + label.text.count <= columns) }
            for (left, right) in zip(labels, labels.dropFirst()) { #expect(left.column + left.text.count < right.column) }
        }
    }

    @Test func rulerOfOneTimeHasOneMark() {
        let ruler = TimeRuler([.init("now", at: Sample.now, isNow: true)], columns: 10)
        #expect(ruler.marks == [0] && ruler.labels.map(\.column) == [0])
        #expect(TimeRuler([], columns: 0).marks.isEmpty)
    }

    @Test func timesAreOnOneLineWithWordsBelow() throws {
        let text = try Given.inspector([Given.accessToken(scope: "openid")]).picture(Self.wide).text
        #expect(text.contains("nbf, iat 17 min ago") && text.contains("now") && text.contains("exp in 42 min"))
        #expect(text.contains("42 min 10 s left"))
    }

    @Test func changesNameScopesAudiencesAndClaims() {
        let old: JSONValue = ["scope": "openid mail", "aud": "a", "exp": 1, "jti": "x", "groups": ["g"], "acr": "1", "name": "Ada"]
        let new: JSONValue = ["scope": "openid profile", "aud": ["b"], "exp": 2, "jti": "y", "groups": ["g"], "acr": "2", "email": "e"]
        #expect(
            TokenChanges(from: old, to: new).changes == [
                .added("profile"), .removed("mail"), .added("aud b"), .removed("aud a"), .changed("acr"), .added("email"), .removed("name"),
            ])
        #expect(TokenChanges(from: ["exp": 1, "aud": "a"], to: ["exp": 2, "aud": ["a"]]).changes.isEmpty)
        #expect(TokenChanges(from: nil, to: nil).changes.isEmpty)
    }

    @Test(
        arguments: [
            (["scope": "a b"], ["a", "b"]), (["scp": ["a", "b"]], ["a", "b"]), (["scp": "a b"], ["a", "b"]), (["scope": ""], []),
            (["scope": 1], []), (.null, []),
        ] as [(JSONValue, [String])])
    func scopesAreRead(claims: JSONValue, scopes: [String]) {
        #expect(TokenChanges.scopes(of: claims) == scopes)
    }

    @Test func renewalShowsWhatChanged() throws {
        let before = try Given.inspector([Given.accessToken(scope: "openid")]).picture(Self.wide).text
        #expect(!before.contains(InspectorWords.sinceRenewal))
        let text = try Given.renewedToken().picture(Self.wide).text
        #expect(text.contains("+mail.read") && text.contains("−offline_access") && text.contains("+aud https://mail.example.org"))
        var token = Given.accessToken(scope: "openid")
        token.formerClaims = Given.accessToken(scope: "openid", issued: 1_795_245_000).claims
        #expect(try Given.inspector([token]).picture(Self.wide).text.contains(InspectorWords.onlyTimes))
    }

    /// The agent renews by itself while the inspector is open.
    @Test func renewalByTheAgentReloadsTheTokens() throws {
        var state = try Given.inspector()
        var session = try #require(state.model.session(try Self.name()))
        #expect(state.take(.serviceReported(.sessionsChanged([session]))) == [])
        session.receivedAt = Sample.now
        #expect(try state.take(.serviceReported(.sessionsChanged([session]))).contains(.loadTokens(Self.name())))
    }

    @Test func enterCopiesTheSelectedValue() throws {
        var state = try Given.inspector()
        #expect(state.press(.enter) == [.copyText("RS256")])
        _ = state.press(.down)
        #expect(state.press(.enter) == [.copyText("https://id.example.org")])
        for _ in 0..<3 { _ = state.press(.down) }
        #expect(state.press(.enter) == [.copyText("1795252330")])
        for _ in 0..<3 { _ = state.press(.down) }
        #expect(state.press(.enter) == [.copyText(#"["pwd","otp"]"#)])
        _ = state.press(.backTab)
        #expect(state.press(.enter) == [])
        #expect(state.notice?.text == InspectorWords.noClaim)
    }

    /// A line end in a value would start a command where the user pastes it.
    @Test func copiedValueIsSanitised() {
        #expect(ClaimWords.plainValue("a\nrm -rf ~\u{1B}[2J") == "a rm -rf ~\u{FFFD}[2J")
        #expect(ClaimWords.plainValue(true) == "true")
    }

    @Test(arguments: [(80, 24), (40, 10), (200, 60), (40, 6)])
    func selectedClaimIsVisible(columns: Int, rows: Int) throws {
        var state = try Given.inspector()
        _ = state.take(.resized(Size(columns: columns, rows: rows)))
        let count = try #require(state.current.as(InspectorScreen.self)).claims.count
        for _ in 1..<count {
            _ = state.press(.down)
            #expect(state.picture().text.contains("▸"))
        }
        #expect(state.picture().text.contains("▸ email_verified"))
    }

    /// A large terminal has the session and its activity below the token, so that nothing of it stays empty.
    @Test func largeScreenShowsTheSessionBelowItsToken() throws {
        let size = Size(columns: 200, rows: 60)
        var state = try Given.inspector()
        let name = try Self.name()
        let use = Activity(at: Sample.now - .seconds(60), kind: .issued, session: name, message: .verbatim("access token for git"))
        let other = Activity(at: Sample.now, kind: .issued, session: try Sample.name("lab/grace"), message: .verbatim("for curl"))
        for entry in [use, other] { _ = state.take(.serviceReported(.activity(entry))) }
        let picture = state.picture(size)
        let (token, claims) = (try #require(picture.find("╭─")), try #require(picture.find("╭─ \(InspectorWords.claims)")))
        let (session, activity) = (try #require(picture.find("╭─ \(name)")), try #require(picture.find("╭─ \(ActivityWords.title)")))
        #expect(try #require(picture.find("1 ID token")).top == token.top)
        #expect(token.top == claims.top && token.left == session.left && claims.left == activity.left && session.top == activity.top)
        #expect(try #require(picture.find("iss (issuer)")).left > claims.left && session.top > token.top)
        #expect(try #require(picture.find("access token for git")).top > activity.top && picture.find("for curl") == nil)
        // A token with more claims than rows has all of the room.
        var large = Given.accessToken(scope: "openid")
        large.claims = .object((0..<60).map { JSONValue.Member("claim-\($0)", true) })
        #expect(try Given.inspector([large]).picture(size).find("╭─ \(ActivityWords.title)") == nil)
        #expect(try Given.inspector().picture(Self.wide).find("╭─") == nil)
        #expect(state.picture(Size(columns: 120, rows: 40)).find("╭─ \(ActivityWords.title)") != nil)
    }

    /// A token without claims has the width, and the session below it says the rest.
    @Test(arguments: [Size(columns: 120, rows: 40), Size(columns: 112, rows: 30), Size(columns: 200, rows: 60)])
    func refreshTokenHasNoEmptyBox(size: Size) throws {
        let picture = Given.pressed(try Given.inspector(), .backTab).picture(size)
        let box = try #require(picture.find("╭─"))
        #expect(try #require(picture.find("3 Refresh token")).top == box.top)
        #expect(picture.find("╭─ \(InspectorWords.claims)") == nil)
        let name = try Self.name()
        #expect(try #require(picture.find("╭─ \(name)")).top > box.top)
        let rows = picture.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows.count { $0.contains(SessionWords.nextRenewal) } == 1)
        #expect(rows[box.top].count == size.columns)
    }

    /// A token that is renewed in time looks the same in its last seconds.
    @Test(arguments: [(5, Role.text), (40, .warning)])
    func shortTokenIsCalmWhileItIsRenewed(renewal: Int, role: Role) throws {
        var state = try Given.inspector([Given.accessToken(scope: "openid", issued: 1_795_246_250)])
        var session = try #require(state.model.session(try Self.name()))
        session.accessExpiresAt = Sample.now + .seconds(50)
        session.receivedAt = Sample.now - .seconds(40)
        session.nextRenewalAt = Sample.now + .seconds(renewal)
        _ = state.take(.serviceReported(.sessionsChanged([session])))
        let picture = state.picture(Self.wide)
        #expect(picture.style(at: try #require(picture.find("50 s left")).origin)?.role == role)
    }

    @Test func clickOnTheSelectedClaimCopiesIt() throws {
        var state = try Given.inspector()
        let place = try #require(state.picture().find("iss (issuer)"))
        let click = Message.mouseUsed(MouseEvent(.pressed, at: Point(column: place.left, row: place.top)))
        #expect(state.take(click) == [])
        #expect(state.take(click) == [.copyText("https://id.example.org")])
    }

    @Test func opaqueTokenShowsUserInformation() throws {
        var state = try Given.inspector([])
        let opaque = TokenView(kind: .access, redacted: "x", expiresAt: nil, header: nil, claims: nil, verification: .opaque)
        #expect(try state.take(.tokensLoaded(Self.name(), .success([opaque]))) == [.loadSession(Self.name())])
        #expect(state.picture().text.contains(InspectorWords.noUserInfo))
        let text = try Given.opaqueToken().picture().text
        #expect(text.contains("This token is not a JWT: only the provider can read it."))
        #expect(text.contains(SessionWords.userInfo) && text.contains("en-GB"))
        #expect(!text.contains(InspectorWords.noUserInfo))
        state = try Given.opaqueToken()
        #expect(state.press(.enter) == [.copyText("248289761001")])
        // User information is sealed too.
        var locked = try Given.opaqueToken()
        _ = locked.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        #expect(!locked.picture().text.contains("en-GB"))
    }

    @Test func opaqueTokenShowsTheProvidersIntrospection() throws {
        let token = TokenView(
            kind: .access, redacted: "x", expiresAt: nil, header: nil, claims: ["active": true, "username": "ada"],
            verification: .unverified(reason: .verbatim("opaque; id.example.org says that it is active")))
        let text = try Given.inspector([token]).picture().text
        #expect(text.contains(InspectorWords.introspection) && text.contains("username"))
        #expect(text.contains("Opaque; id.example.org says that it is active.") && text.contains(InspectorWords.opaque))
        #expect(!text.contains("decoded only"))
        #expect(!text.contains(InspectorWords.payload))
    }

    @Test func renewKeyRenewsTheSession() throws {
        var state = try Given.inspector()
        #expect(try state.press(.character("r")) == [.renew(Self.name())])
    }

    @Test func scopesAreChips() throws {
        let picture = try Given.inspector([Given.accessToken(scope: "openid profile")]).picture(Self.wide)
        let chip = try #require(picture.find(" openid   profile "))
        let surfaces = (0..<9).map { picture.style(at: Point(column: chip.left + $0, row: chip.top))?.surface }
        #expect(surfaces == Array(repeating: Surface.field, count: 8) + [.screen])
    }

    /// Many scopes continue in the next row, and none is cut.
    @Test func manyScopesWrap() throws {
        let scopes = (0..<30).map { "scope-\($0)" }
        let text = try Given.inspector([Given.accessToken(scope: scopes.joined(separator: " "))]).picture(Size(columns: 80, rows: 50)).text
        let words = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
        #expect(words.isSuperset(of: scopes))
    }
}
