import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// The requirements of MapsIndoors, each checked with the built command against the built sandbox.
@Suite(.startsPrograms) struct MapsIndoorsRowTests {
    private let rows: VendorRows

    init() async throws { rows = try await VendorRows("mapsindoors", as: "mi") }

    @Test func solutionWithoutSignInNeedsOnlyTheKey() async throws {
        try await rows.turn(["is_auth_required": false])
        let free = try await rows.run("login", "mi", "--json")
        #expect(free.status == 0, "\(free)")
        #expect(try JSONValue(strict: free.output)["auth_required"] == false)
        try rows.configure(without: ["api_key"], "api_key = \"nobodys\"")
        let unknown = try await rows.run("login", "mi")
        #expect(unknown.status == 2 && unknown.errors.contains("the api_key of mi is not known"), "\(unknown)")
        #expect(unknown.errors.contains("101500"))
        #expect(try await rows.vendor.requests(at: "/connect/authorize").isEmpty)
    }

    @Test func detailsAreShownAndTheirErrorsNamed() async throws {
        let details = try await rows.run("providers", "details", "mi", "--json")
        let told = try JSONValue(strict: details.output)["details"]
        #expect(told?["issuer"]?.string == rows.origin && told?["scopes"]?.strings == ["openid", "profile", "client-apis"])
        #expect(told?["clients"] == [["client_id": "mapsindoors-app", "idps": ["google", "microsoft"]]])
        try await rows.turn(["fail_next": ["/gateway/sandbox-key:500"]])
        #expect(try await rows.run("providers", "details", "mi").status == 7)
        try await rows.turn(["cut_details": true])
        let cut = try await rows.run("providers", "details", "mi")
        #expect(cut.status == 7 && cut.errors.contains("details"), "\(cut)")
        try await rows.turn(["cut_details": false, "clients": []])
        let empty = try await rows.run("login", "mi")
        #expect(empty.status == 2 && empty.errors.contains("the solution has no client"), "\(empty)")
    }

    @Test func chosenIdentityProviderIsSentAndNoneWhereTheServerAsks() async throws {
        #expect(try await rows.run("login", "mi", "--idp", "microsoft").status == 0)
        #expect(try await rows.run("login", "mi", "--idp", "nosuch").status == 2)
        #expect(try await rows.run("login", "mi", "--idp", "nosuch", "--force-idp").status == 0)
        try await rows.vendor.turn("{\"idps\": []}")
        #expect(try await rows.run("login", "mi").status == 0)
        let asked = try await rows.vendor.requests(at: "/connect/authorize").map { $0.parameter("acr_values") }
        #expect(asked == ["idp:microsoft", "idp:nosuch", nil])
    }

    @Test(arguments: [
        "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported", "subject_types_supported",
        "id_token_signing_alg_values_supported",
    ])
    func discoveryErrorNamesTheMissingMember(member: String) async throws {
        try await rows.turn(["drop_metadata": .string(member)])
        let result = try await rows.run("login", "mi", "--idp", "google")
        #expect(result.status == 7 && result.errors.contains(member), "\(result)")
        #expect(try await rows.vendor.requests(at: "/connect/authorize").isEmpty)
    }

    @Test func discoveryOfAnotherIssuerIsRefused() async throws {
        try await rows.turn(["wrong_issuer": true])
        #expect(try await rows.run("login", "mi", "--idp", "google").status == 8)
        try await rows.turn(["wrong_issuer": false, "fail_next": ["/.well-known/openid-configuration:404"]])
        #expect(try await rows.run("login", "mi", "--idp", "google").status == 7)
        #expect(try await rows.vendor.requests(at: "/connect/authorize").isEmpty)
    }

    @Test func everyRequestIsFreshAndUsesTheSameRedirect() async throws {
        try rows.configure(without: ["extra_scopes"])
        #expect(try await rows.run("providers", "redirect", "mi").output == "http://127.0.0.1/callback\n")
        for _ in 0..<2 { #expect(try await rows.run("login", "mi", "--idp", "google").status == 0) }
        let asked = try await rows.vendor.requests(at: "/connect/authorize")
        for name in ["state", "nonce", "code_challenge"] {
            let values = asked.compactMap { $0.parameter(name) }
            #expect(Set(values).count == 2 && values.allSatisfy { $0.utf8.count >= 43 }, "\(name)")
        }
        #expect(asked.map { $0.parameter("scope") } == ["openid profile client-apis", "openid profile client-apis"])
        let redeemed = try await rows.vendor.requests(at: "/connect/token")
        #expect(asked.map { $0.parameter("redirect_uri") } == redeemed.map { $0.field("redirect_uri") })
        // The sandbox's own port is in use.
        try rows.configure("redirect = \"http://\(rows.authority)/callback\"")
        let busy = try await rows.run("login", "mi", "--idp", "google")
        #expect(busy.status == 2 && busy.errors.contains("port"), "\(busy)")
    }

    @Test func tokenIsSentToTheDataServiceOnly() async throws {
        #expect(try await rows.run("login", "mi", "--idp", "google").status == 0)
        let token = try await rows.run("token", "mi")
        try await rows.turn()
        let data = try await rows.run("request", "mi", rows.origin + "/data")
        #expect(data.status == 0 && data.output.contains("Yett House"), "\(data)")
        let sent = try await rows.vendor.requests(at: "/data").map { $0.header("Authorization").map { $0 + "\n" } }
        #expect(sent == ["Bearer \(token.output)"])
        let child = try await rows.run("exec", "mi", "--", "sh", "-c", "echo \"$ACCESS_TOKEN\"")
        #expect(child.output == token.output)
        let elsewhere = try await rows.run("request", "mi", "https://booking.example.org/")
        #expect(elsewhere.status == 8 && elsewhere.errors.contains("booking.example.org"), "\(elsewhere)")
    }

    @Test func failedSignInKeepsTheEarlierSession() async throws {
        #expect(try await rows.run("login", "mi", "--idp", "google").status == 0)
        let token = try await rows.run("token", "mi").output
        try await rows.turn(["authorize_error": "access_denied"])
        let denied = try await rows.run("login", "mi", "--idp", "google")
        #expect(denied.status == 5 && denied.errors.contains("access_denied"), "\(denied)")
        #expect(try await rows.sessions().map { $0["state"] } == ["signed_in"])
        #expect(try await rows.run("token", "mi").output == token)
    }

    @Test func bookingServiceNeedsItsOwnProvider() async throws {
        let booking = """
            [providers.mi-booking]
            kind = "mapsindoors"
            issuer = "\(rows.origin)"
            client_id = "booking-app"
            tenant_id = "T1"
            scopes = ["openid", "booking"]
            api_hosts = ["\(rows.authority)"]
            """
        try rows.configure(without: ["api_hosts"], others: booking)
        #expect(try await rows.run("login", "mi", "--idp", "google").status == 0)
        try await rows.turn()
        let refused = try await rows.run("request", "mi", rows.origin + "/booking")
        #expect(refused.status == 8 && refused.errors.contains("mi-booking"), "\(refused)")
        #expect(try await rows.vendor.requests().isEmpty)
        #expect(try await rows.run("login", "mi-booking").status == 0)
        let taken = try await rows.run("request", "mi-booking", rows.origin + "/booking")
        #expect(taken.status == 0 && taken.output.contains("\"tenant\":\"T1\""), "\(taken)")
    }

    @Test func expiredTokenIsRenewedOnceOrNeedsSignIn() async throws {
        // A token that is valid for less than a minute is renewed before it is issued.
        try await rows.turn(["access_lifetime": 30])
        #expect(try await rows.run("login", "mi", "--idp", "google").status == 0)
        try await rows.turn(["access_lifetime": 3600])
        #expect(try await rows.run("token", "mi").status == 0)
        #expect(try await rows.vendor.requests(at: "/connect/token").map { $0.field("grant_type") } == ["refresh_token"])
        try rows.configure(without: ["extra_scopes"])
        // The built program has the machine's clock: this token ends after a real second, and `eventually` allows many more.
        try await rows.turn(["access_lifetime": 1, "offline_access": false])
        #expect(try await rows.run("login", "mi", "--idp", "google").status == 0)
        try await rows.turn()
        try await eventually("a token that has ended was handed out for half a minute") {
            let ended = try await rows.run("token", "mi")
            return ended.status == 6 && ended.errors.contains("yett login mi")
        }
        #expect(try await rows.vendor.requests().isEmpty)
    }
}
