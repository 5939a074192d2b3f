import AuthEngine
import AuthModel
import OAuth
import Sandbox
import TestSupport
import Testing

/// What the user is told to do after a sign-in that did not succeed.
@Suite(.serialized)
struct SignInHintTests {
    /// The provider may not ask the user then (OpenID Connect Core section 3.1.2.6), and no administrator can help.
    @Test(arguments: ["login_required", "interaction_required", "consent_required", "account_selection_required", "server_error"])
    func refusalWithoutAPromptSaysToSignInWithOne(code: String) async throws {
        for prompt in ["none", "login"] {
            try await EngineFixture.run { world in
                let transport = world.transport
                let issuer = world.sandbox.issuer
                let outcome = try await world.signIn(try world.request { $0.prompt = prompt }) { url, _ in
                    let items = FormEncoding.decode(url.query ?? "") ?? []
                    func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
                    let answer = WebURL(value("redirect_uri"))?.appending(
                        query: [("error", code), ("state", value("state")), ("iss", issuer)])
                    guard let answer else { return }
                    _ = try? await transport.send(WebRequest(method: .get, url: answer))
                }
                let failure = try #require(outcome.failure)
                #expect(failure.kind == .denied(code: code))
                let needsUser = prompt == "none" && code != "server_error"
                #expect((failure.hint == "hint.sign_in_without_prompt_none") == needsUser, "\(failure)")
            }
        }
    }

    /// The server tells only the browser that it does not know the client.
    @Test(arguments: [true, false]) func lateSignInOfARegisteredClientNamesTheRegistration(isRegistered: Bool) async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time, change: { if isRegistered { $0.registeredScopes = ["openid"] } }) { world in
            let outcome = try await world.signIn(try world.request { $0.timeout = .seconds(2) }) { _, _ in time.advance(by: .seconds(2)) }
            let failure = try #require(outcome.failure)
            #expect(failure.kind == .timedOut)
            #expect((failure.hint == UserMessage("hint.sign_in_again_or_register", ["provider": "sandbox"])) == isRegistered, "\(failure)")
        }
    }
}
