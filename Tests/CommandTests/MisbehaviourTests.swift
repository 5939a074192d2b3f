import AuthModel
import Sandbox
import Testing

@testable import YettCommand

/// What the command makes of each thing that a provider can do wrong: the exit status, and a part of the message.
struct MisbehaviourTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var fault: String
        var status: Int32
        var says: String

        init(_ fault: String, _ status: Int32, _ says: String) {
            self.fault = fault
            self.status = status
            self.says = says
        }

        var testDescription: String { fault }

        /// Whether the attempt goes on until then; everything else ends at once, however slow the machine is.
        var endsAtTheDeadline: Bool { says.hasPrefix("nobody came back") || Self.ignored.contains(says) }

        private static let ignored: Set<String> = [
            "its state is not this attempt's", "it has no state", "it has a parameter twice", "neither a code nor an error",
            "both a code and an error",
        ]
    }

    static let rows: [Row] = [
        // Discovery that is unreachable, not JSON, of another issuer, or lacks what is needed.
        Row("discovery-closed", 7, "closed the connection"),
        Row("discovery-404", 7, "there is no provider metadata"),
        Row("discovery-500", 7, "in trouble"),
        Row("discovery-503", 7, "in trouble"),
        Row("discovery-html", 7, "is a web page, not JSON"),
        Row("discovery-not-json", 7, "is not JSON"),
        Row("discovery-duplicate-member", 7, "is not JSON"),
        Row("discovery-oversize", 7, "is larger than 1 MB"),
        Row("discovery-gzip-bomb", 7, "is larger than 1 MB"),
        Row("discovery-redirect-302", 7, "is not followed"),
        Row("discovery-issuer-other", 8, "the issuer in the provider metadata"),
        Row("discovery-issuer-invalid", 8, "the issuer in the provider metadata"),
        Row("discovery-issuer-trailing-slash", 8, "the issuer in the provider metadata"),
        Row("discovery-issuer-missing", 7, "lacks issuer"),
        Row("discovery-authorization-endpoint-missing", 7, "lacks authorization_endpoint"),
        Row("discovery-authorization-endpoint-javascript", 8, "authorization_endpoint"),
        Row("discovery-authorization-endpoint-shell", 8, "authorization_endpoint"),
        Row("discovery-token-endpoint-missing", 7, "lacks token_endpoint"),
        Row("discovery-token-endpoint-http", 8, "token_endpoint"),
        Row("discovery-jwks-uri-missing", 7, "lacks jwks_uri"),
        Row("discovery-pkce-plain-only", 8, "plain only"),
        // Answers in the browser that are refused while the attempt goes on, up to its deadline.
        Row("callback-state-wrong", 8, "its state is not this attempt's"),
        Row("callback-state-missing", 8, "it has no state"),
        Row("callback-state-doubled", 8, "it has a parameter twice"),
        Row("callback-code-missing", 8, "neither a code nor an error"),
        Row("callback-code-doubled", 8, "it has a parameter twice"),
        Row("callback-error-without-state", 8, "it has no state"),
        Row("callback-error-and-code", 8, "both a code and an error"),
        Row("callback-never", 4, "nobody came back from the browser in time"),
        Row("callback-post", 4, "nobody came back from the browser in time"),
        // Answers that end it.
        Row("callback-error", 5, "access_denied: the person said no"),
        Row("callback-error-hostile", 5, "access_denied"),
        Row("callback-iss-wrong", 8, "iss"),
        Row("callback-iss-missing", 8, "lacks iss, which was announced"),
        Row("callback-code-unknown", 5, "invalid_grant"),
        // The token endpoint.
        Row("token-closed", 7, "closed the connection"),
        Row("token-503", 7, "in trouble"),
        Row("token-html", 7, "is a web page, not JSON"),
        Row("token-redirect-307", 8, "is not followed"),
        Row("token-type-mac", 8, "a token of a type that is not understood"),
        Row("token-access-token-missing", 7, "lacks access_token"),
        Row("token-access-token-hostile", 7, "access_token"),
        Row("token-id-token-missing", 8, "none came, though openid was asked"),
        Row("token-invalid-grant", 5, "invalid_grant"),
        Row("token-error-hostile", 5, "invalid_grant"),
        // The ID token, by the catalogue of relying-party tests.
        Row("id-token-alg-none", 8, "signature algorithm"),
        Row("id-token-alg-none-mixed-case", 8, "signature algorithm"),
        Row("id-token-hs256-public-key", 8, "signature algorithm"),
        Row("id-token-signature-wrong", 8, "its signature is wrong"),
        Row("id-token-signature-missing", 8, "its signature is wrong"),
        Row("id-token-two-parts", 8, "not a well-formed JWT"),
        Row("id-token-kid-unknown", 8, "none of the issuer's keys fits"),
        Row("id-token-header-jwk", 8, "jwk"),
        Row("id-token-header-jku", 8, "jku"),
        Row("id-token-header-crit", 8, "crit"),
        Row("id-token-typ-logout", 8, "a token of another kind"),
        Row("id-token-iss-wrong", 8, "of another issuer"),
        Row("id-token-aud-wrong", 8, "not for this client"),
        Row("id-token-aud-missing", 8, "lacks aud"),
        Row("id-token-aud-extra-with-azp", 8, "not for this client"),
        Row("id-token-azp-other", 8, "another client"),
        Row("id-token-exp-past", 8, "expired"),
        Row("id-token-exp-missing", 8, "lacks exp"),
        Row("id-token-iat-missing", 8, "lacks iat"),
        Row("id-token-iat-future", 8, "not valid yet"),
        Row("id-token-nonce-missing", 8, "lacks nonce"),
        Row("id-token-nonce-wrong", 8, "nonce"),
        Row("id-token-at-hash-wrong", 8, "another access token"),
        Row("id-token-sub-missing", 8, "lacks sub"),
        Row("id-token-payload-array", 8, "not a well-formed JWT"),
        // Userinfo.
        Row("userinfo-sub-missing", 8, "lacks sub"),
        Row("userinfo-sub-other", 8, "of another account"),
        Row("userinfo-500", 7, "in trouble"),
    ]

    /// An older session is there before, and is the same afterwards.
    @Test(arguments: rows)
    func failedSignInSaysWhyAndLosesNothing(row: Row) async throws {
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)) { sandbox, world in
            try await world.signIn()
            let before = try await world.sessions()
            await sandbox.set(try Misbehaviour(names: [row.fault]))
            // What was learnt of the provider a moment ago is not to hide what it says now.
            TemporaryFolder(existing: world.home + "/.cache/yett").remove()
            let result = await world.run("login", "--json", "--timeout", row.endsAtTheDeadline ? "2" : "60")
            #expect(result.status == row.status)
            #expect(result.output == "")
            #expect(result.errors.contains(row.says), "\(result.errors)")
            #expect(result.errors.contains("yett: error: "))
            #expect(result.errors.contains("yett: hint: "))
            #expect(!result.errors.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
            let after = try await world.sessions()
            #expect(after == before)
        }
    }

    /// What providers do in an allowed way that clients forget.
    @Test(arguments: [
        "discovery-userinfo-endpoint-missing", "discovery-revocation-endpoint-missing", "discovery-response-types-missing",
        "discovery-pkce-missing", "discovery-unknown-members", "discovery-text-plain", "callback-extra-parameters", "token-type-lower-case",
        "token-expires-in-missing", "token-expires-in-text", "token-expires-in-absurd", "token-refresh-token-missing",
        "token-scope-missing",
        "token-scope-narrower", "token-unknown-members", "id-token-kid-missing", "id-token-aud-array", "id-token-at-hash-missing",
        "userinfo-long-name", "userinfo-name-number", "userinfo-distributed-claims",
    ])
    func allowedOdditiesSignIn(fault: String) async throws {
        let misbehaviour = try Misbehaviour(names: [fault])
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256, misbehaviour: misbehaviour)) { _, world in
            let result = await world.run("login", "--json")
            #expect(result.status == 0, "\(result.errors)")
            let sessions = try result.json["sessions"]?.array
            #expect(sessions?.count == 1)
        }
    }

    @Test(arguments: ["id-token-hostile-names", "userinfo-hostile-names"])
    func hostileNamesReachNoTerminal(fault: String) async throws {
        let misbehaviour = try Misbehaviour(names: [fault])
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256, misbehaviour: misbehaviour)) { _, world in
            let person = CommandWorld.Person(hasTerminal: true)
            for command in [["login"], ["status"], ["inspect"], ["inspect", "--json"], ["status", "--json"], ["logout"]] {
                let result = await world.run(command, person: person)
                #expect(result.status == 0, "\(result.errors)")
                let dangerous = (result.output + result.errors).unicodeScalars.filter { scalar in
                    scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
                }
                #expect(dangerous.isEmpty, "\(command)")
            }
        }
    }

    @Test func renewalThatIsRefusedAsksForANewSignIn() async throws {
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)) { sandbox, world in
            try await world.signIn()
            await sandbox.set([.refresh(.invalidGrant)])
            let first = await world.run("renew")
            #expect(first.status == 6)
            #expect(first.errors.contains("yett: hint: sign in again"))
            #expect(try await world.sessions().first?["state"] == "needs_sign_in")
            // Final at once: the refused token is not sent again.
            await sandbox.set(.none)
            sandbox.clearRequests()
            #expect(await world.run("renew").status == 6)
            #expect(await world.run("token", "sandbox").status == 6)
            #expect(!sandbox.requests.contains { $0.path.contains("token") })
        }
    }

    @Test(arguments: ["refresh-503", "refresh-closed", "refresh-html"])
    func renewalThatMeetsTroubleKeepsTheSession(fault: String) async throws {
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)) { sandbox, world in
            try await world.signIn()
            await sandbox.set(try Misbehaviour(names: [fault]))
            #expect(await world.run("renew").status == 7)
            await sandbox.set(.none)
            let again = await world.run("renew")
            #expect(again.status == 0, "\(again.errors)")
        }
    }

    @Test func signOutThatTheProviderDoesNotHearIsSeven() async throws {
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)) { sandbox, world in
            try await world.signIn()
            await sandbox.set([.transport(.revocation, .unavailable)])
            let result = await world.run("logout", "--json")
            #expect(result.status == 7)
            let receipt = try #require(try result.json["receipts"]?.array?.first)
            #expect(receipt["complete"] == false)
            let steps = try #require(receipt["steps"]?.array)
            #expect(steps.first?["outcome"] == "failed")
            #expect(steps.first?["queued"] == true)
            #expect(try await world.sessions().isEmpty)
        }
    }
}
