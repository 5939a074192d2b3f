import AuthModel
import Testing

/// Form encoding, times, names, redirects, secrets and the state of a session.
@Suite struct TextFormTests {
    @Test func encodesForms() {
        // SWF-10: a plus stays a plus.
        #expect(FormEncoding.encode([("scope", "a+b c"), ("é", "&=%")]) == "scope=a%2Bb%20c&%C3%A9=%26%3D%25")
        #expect(FormEncoding.escape("AZaz09-._~") == "AZaz09-._~")
        #expect(FormEncoding.escape("\u{1}\u{0}") == "%01%00")
    }

    /// One character may have any number of bytes, and a scalar is not split.
    @Test func prefixCountsBytes() {
        let giant = "e" + String(repeating: "\u{301}", count: 10_000)
        #expect(giant.count == 1 && giant.prefix(bytes: 200).utf8.count == 199)
        #expect("aé€😀".prefix(bytes: 5) == "aé" && "aé€😀".prefix(bytes: 6) == "aé€" && "aé".prefix(bytes: 3) == "aé")
        #expect("a".prefix(bytes: 0).isEmpty)
    }

    @Test func decodesForms() throws {
        let pairs = try #require(FormEncoding.decode("a=b+c&d=%2B%c3%a9&e&=f&&g=h=i"))
        #expect(pairs.map(\.name) == ["a", "d", "e", "", "g"])
        #expect(pairs.map(\.value) == ["b c", "+é", "", "f", "h=i"])
        #expect(FormEncoding.decode("")?.isEmpty == true)
    }

    @Test(arguments: ["%", "%2", "%zz", "a=%F", "a=%FF", "%é", "a=%C3", "a=%2é", "a=%+1"]) func rejectsInvalidEscapes(_ text: String) {
        #expect(FormEncoding.decode(text) == nil)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-21T08:30:00Z", 1_795_249_800_000), ("2026-11-21T09:30:00.25+01:00", 1_795_249_800_250),
        ("2026-11-20T23:30:00-09:00", 1_795_249_800_000), ("2000-02-29T12:00:00Z", 951_825_600_000), ("1969-12-31T23:59:59Z", -1000),
        ("9999-12-31T23:59:59Z", 253_402_300_799_000), ("2026-11-21 08:30:00z", 1_795_249_800_000),
        ("2026-11-21T08:30:00.123456789Z", 1_795_249_800_123),
    ])
    func readsTimes(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T08:30:00", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-00T00:00:00Z",
        "2026-11-31T00:00:00Z",
        "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:30:61Z",
        "2026-11-21T08:30:00.Z",
        "2026-11-21T08:30:00+25:00", "2026-11-21T08:30:00+1:00", "2026-11-21T08:30:00ZZ", "+026-11-21T08:30:00Z", "2026-11-21T08:30:00Z ",
    ])
    func rejectsInvalidTimes(_ text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: [0, 1_795_249_800_000, 951_782_400_000, 951_868_799_000, -1000, -62_135_596_800_000, 253_402_300_799_000] as [Int64])
    func timesRoundTrip(_ milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp(moment.description) == moment)
    }

    @Test func timeArithmeticNeverOverflows() {
        #expect(Timestamp(seconds: 1e300) == .distantFuture)
        #expect(Timestamp(seconds: .infinity) == .distantFuture)
        #expect(Timestamp(seconds: .nan).milliseconds == 0)
        #expect(Timestamp.distantFuture + .seconds(Int64.max) == .distantFuture)
        #expect(Timestamp(milliseconds: 0) + .seconds(90) == Timestamp(milliseconds: 90_000))
        #expect(Timestamp(milliseconds: .min) - .seconds(Int64.max) <= Timestamp(milliseconds: 0))
        #expect(Timestamp(milliseconds: .max) - Timestamp(milliseconds: .min) > .zero)
        #expect(Timestamp(milliseconds: 0) + .seconds(Int64.min) <= Timestamp(milliseconds: 0))
        #expect(Timestamp(milliseconds: -1).seconds == -1)
        #expect(Timestamp(milliseconds: .min).seconds < 0)
    }

    @Test(
        "RFC 3339 can write every timestamp",
        arguments: [
            .min, -62_167_219_200_001, -62_167_219_200_000, 253_402_300_799_000, 253_402_300_799_999, 9_223_372_036_854_775_000, .max,
        ] as [Int64])
    func everyTimestampRoundTrips(milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp(moment.description) == moment)
        #expect(Timestamp.range.contains(moment.milliseconds))
        for change in [Duration.zero, .seconds(1), .seconds(Int64.max), .seconds(Int64.min), .milliseconds(1)] {
            for moved in [moment + change, moment - change] {
                #expect(Timestamp.range.contains(moved.milliseconds))
                #expect(Timestamp(moved.description)?.seconds == moved.seconds)
            }
        }
    }

    @Test(arguments: ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:60Z", "9999-12-31T23:59:59-23:59"]) func laterTimesBecomeDistantFuture(
        text: String
    ) {
        #expect(Timestamp(text) == .distantFuture)
    }

    @Test func earlierTimesBecomeYearZero() { #expect(Timestamp("0000-01-01T00:00:00+23:59")?.description == "0000-01-01T00:00:00Z") }

    @Test(
        arguments: [
            ("work", nil), ("work/ada", "ada"), ("work/a/b", "a/b"), ("w.o-r_k9/ada@example.org", "ada@example.org"), ("work/日本", "日本"),
        ] as [(String, String?)])
    func readsSessionNames(_ text: String, _ account: String?) throws {
        let name = try #require(SessionName(text))
        #expect(name.account == account)
        #expect(name.description == text)
    }

    @Test(arguments: [
        "", "/", "/ada", "work/", "work//", "work/ada/", "work//ada", "-work", ".work", "wörk", "wo rk", "work/a\nb", "work/a\u{1B}b",
        "work/a\u{202E}b", "work/a\u{200B}b",
        "work/\u{0}",
    ])
    func rejectsInvalidSessionNames(_ text: String) {
        // AGT-09.
        #expect(SessionName(text) == nil)
    }

    @Test func makesAccountLabelsFromClaims() {
        #expect(SessionName.label(from: " /ada\u{1B}[2J\u{202E}/ ") == "ada-2J")
        #expect(SessionName.label(from: "\u{1B}\n") == nil)
        #expect(SessionName.label(from: "") == nil)
        #expect(SessionName.label(from: String(repeating: "é", count: 300))?.utf8.count == 256)
    }

    @Test(
        arguments: [
            ("$(touch X)", "touch-X"), ("`id`", "id"), ("a;b", "a-b"), ("Ada Lovelace", "Ada-Lovelace"), ("corp\\ada", "corp-ada"),
            ("-rf", "rf"), ("..", nil), ("...a", "a"), ("a--b", "a--b"), ("ada.l+x@example.org", "ada.l+x@example.org"), ("a/b", "a-b"),
            ("日本", "日本"), ("e\u{301}mile", "e\u{301}mile"), ("🚀 marie", "marie"), ("٣", "٣"), ("Ⅷ", nil), ("a\u{200D}b", "a-b"),
            ("1\u{FE0F}\u{20E3}", "1"), ("a\u{301}\u{301}\u{301}\u{301}", "a\u{301}\u{301}\u{301}"), ("\u{3164}a", "a"), ("हिन्दी", "हिन्दी"),
            ("~*?[]{}!#&|<>'\"%=:,", nil),
        ] as [(String, String?)])
    func labelKeepsLettersDigitsAndFewSymbols(claim: String, label: String?) {
        #expect(SessionName.label(from: claim) == label)
        if let label { #expect(SessionName.isPlainLabel(label)) }
    }

    @Test(arguments: ["", "-a", ".a", "a b", "a/b", "$a", "a\n", "a\u{202E}b", "🚀", String(repeating: "a", count: 257)])
    func rejectsLabelsWithOtherCharacters(label: String) {
        #expect(!SessionName.isPlainLabel(label))
    }

    @Test func shellWordIsQuotedForEveryShell() {
        #expect(ShellWord("/a/b-c.d").text == "/a/b-c.d")
        #expect(ShellWord("/a b").text == "'/a b'")
        #expect(ShellWord("it's\\").text == #"'it'\''s'\\"#)
        #expect(ShellWord("a\nb").text == #"'a'$'\x0a''b'"#)
        #expect(ShellWord("").text == "''")
        #expect(ShellWord("=ls").text == "'=ls'" && ShellWord("%1").text == "'%1'" && ShellWord("~").text == "'~'")
        #expect(SessionName("lab/$(touch X)")?.shellWord == "'lab/$(touch X)'")
    }

    @Test(
        arguments: [
            ("http://127.0.0.1/callback", "127.0.0.1", nil, "/callback"), ("http://127.0.0.1:8400/cb", "127.0.0.1", 8400, "/cb"),
            ("http://[::1]:8400/", "::1", 8400, "/"), ("http://[::1]/x", "::1", nil, "/x"), ("http://localhost:80", "localhost", 80, "/"),
        ] as [(String, String, Int?, String)])
    func readsRedirectURIs(_ text: String, _ host: String, _ port: Int?, _ path: String) throws {
        let rule = try #require(RedirectRule(text))
        #expect(rule.host == host && rule.port == port && rule.path == path)
    }

    /// Providers compare redirect URIs byte for byte.
    @Test(arguments: [
        ("http://localhost:4242", "http://localhost:4242"), ("http://localhost:4242/", "http://localhost:4242/"),
        ("http://localhost", "http://localhost:8400"), ("http://LocalHost/cb", "http://LocalHost:8400/cb"),
        ("http://127.0.0.1", "http://127.0.0.1:8400"), ("http://[::1]:8400", "http://[::1]:8400"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:8400/callback"), ("http://localhost:80", "http://localhost:80"),
    ])
    func redirectURIIsSentAsWritten(_ text: String, _ sent: String) throws {
        let rule = try #require(RedirectRule(text))
        #expect(rule.uri(port: rule.port ?? 8400) == sent)
        #expect(rule.description == text)
        #expect(rule.path.hasPrefix("/"))
    }

    @Test(arguments: [
        "https://127.0.0.1/", "http://0.0.0.0/", "http://127.0.0.1/?x", "http://127.0.0.1/#f", "http://example.org/", "", "127.0.0.1:80",
        "http://127.0.0.2/", "https://www.example.org/callback", "app:/callback",
    ])
    func rejectsInvalidRedirectURIs(_ text: String) {
        #expect(RedirectRule(text) == nil)
    }

    @Test func acceptsAnHTTPSPageForManualPaste() throws {
        let rule = try #require(RedirectRule(page: "https://example.org/callback"))
        #expect(!rule.redirectsToThisMachine && !rule.isOutOfBand && rule.isExternalPage)
        #expect(rule.uri(port: 8400) == "https://example.org/callback")
        #expect(rule.description == "https://example.org/callback")
        #expect(RedirectRule.standard.redirectsToThisMachine)
        #expect(RedirectRule("urn:ietf:wg:oauth:2.0:oob") == .outOfBand && !RedirectRule.outOfBand.redirectsToThisMachine)
        #expect(!RedirectRule.outOfBand.isExternalPage && !RedirectRule.standard.isExternalPage)
    }

    @Test(arguments: [
        "http://example.org/callback", "https://localhost/callback", "https://127.0.0.1/callback", "https://[::1]/callback",
        "https://example.org", "https://example.org/a?x", "https://example.org/a#f", "https://ada@example.org/a", "app:/callback",
        "urn:ietf:wg:oauth:2.0:oob",
    ])
    func rejectsInvalidRedirectPages(_ text: String) {
        #expect(RedirectRule(page: text) == nil)
    }

    @Test func otherLoopbackLiteralSwapsTheIPVersion() {
        #expect(RedirectRule.standard.otherLoopbackLiteral == RedirectRule("http://[::1]/callback"))
        #expect(RedirectRule("http://[::1]:8400/a")?.otherLoopbackLiteral == RedirectRule("http://127.0.0.1:8400/a"))
        #expect(RedirectRule("http://127.0.0.1")?.otherLoopbackLiteral?.uri(port: 1) == "http://[::1]:1")
        #expect(RedirectRule("http://localhost/a")?.otherLoopbackLiteral == nil && RedirectRule.outOfBand.otherLoopbackLiteral == nil)
    }

    @Test func writesRedirectURIs() {
        #expect(RedirectRule(host: "::1", port: nil, path: "/cb").uri(port: 8400) == "http://[::1]:8400/cb")
        #expect(RedirectRule.standard.description == "http://127.0.0.1/callback")
    }

    @Test func secretsAreNotPrinted() {
        let secret = Secret("hunter2")
        #expect("\(secret)" == "[secret]")
        #expect(String(reflecting: secret) == "[secret]")
        var dumped = ""
        dump(["a": secret], to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(secret == Secret(bytes: Array("hunter2".utf8)))
        #expect(secret != Secret("hunter3"))
        #expect(secret != Secret("hunter"))
        #expect(secret.reveal() == "hunter2")
        #expect(Secret("").isEmpty)
    }

    @Test(
        arguments: [
            (SessionState.signedIn, 3600, true, SessionState.signedIn), (.signedIn, 60, true, .signedIn), (.signedIn, 59, true, .expiring),
            (.signedIn, 1, false, .expiring), (.signedIn, 0, true, .expired), (.signedIn, 0, false, .needsSignIn),
            (.signedIn, -9, false, .needsSignIn),
            (.signedIn, nil, false, .signedIn), (.revoked, 3600, true, .revoked), (.needsSignIn, 3600, true, .needsSignIn),
            (.renewing, -9, true, .renewing),
        ] as [(SessionState, Int64?, Bool, SessionState)])
    func stateDependsOnTheTimeLeft(_ settled: SessionState, _ left: Int64?, _ isRenewable: Bool, _ expected: SessionState) throws {
        let now = Timestamp(milliseconds: 1_795_249_800_000)
        let summary = SessionSummary(
            name: try #require(SessionName("work/ada")), issuer: nil, subject: nil, recordedState: settled,
            accessExpiresAt: left.map { now + .seconds($0) }, refreshExpiresAt: nil, isRenewable: isRenewable, scopes: [], grantedAt: now,
            receivedAt: now)
        #expect(summary.state(at: now) == expected)
    }

    /// A token of a minute and a half is renewed in its last minute. It is expiring only if that does not happen at the planned time.
    @Test(
        arguments: [
            (90, 10, SessionState.signedIn), (90, 12, .signedIn), (90, 13, .expiring), (90, -2, .signedIn), (90, -3, .expiring),
            (90, nil, .expiring), (3600, 10, .expiring), (50, 30, .signedIn),
        ] as [(Int64, Int64?, SessionState)])
    func tokenThatIsRenewedInTimeIsNotShownAsExpiring(_ life: Int64, _ renewal: Int64?, _ shown: SessionState) throws {
        let now = Timestamp(milliseconds: 1_795_249_800_000)
        let end = now + .seconds(min(55, life))
        let summary = SessionSummary(
            name: try #require(SessionName("work/ada")), issuer: nil, subject: nil, recordedState: .signedIn, accessExpiresAt: end,
            refreshExpiresAt: nil, isRenewable: true, nextRenewalAt: renewal.map { now + .seconds($0) }, scopes: [], grantedAt: now,
            receivedAt: end - .seconds(life))
        #expect(summary.state(at: now) == .expiring)
        #expect(summary.shownState(at: now) == shown)
    }

    @Test func configurationValuesHaveFixedSpelling() {
        #expect(PushedRequestMode.allCases.map(\.rawValue) == ["auto", "required", "off"])
        #expect(ProofMode.allCases.map(\.rawValue) == ["off", "required"])
        #expect(
            ProviderConfiguration.ClientAuthentication.allCases.map(\.rawValue)
                == [
                    "auto", "none", "client_secret_basic", "client_secret_post", "client_secret_basic_raw", "client_secret_basic_empty",
                    "private_key_jwt", "tls",
                ])
    }
}
