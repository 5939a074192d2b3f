import AuthModel
import Testing
@testable import OAuth

/// DPoP nonces: stored by origin and role, with one retry (RFC 9449 sections 8 and 9).
@Suite struct ProofNoncesTests {
    private let token: WebRequest
    private let resource: WebRequest

    init() throws {
        token = WebRequest(method: .post, url: try Fixture.url("https://one.example.org/token"))
        resource = WebRequest(method: .get, url: try Fixture.url("https://one.example.org/api"))
    }

    private static func nonceError(nonce: String? = "n1", status: Int = 400, body: String = #"{"error":"use_dpop_nonce"}"#) -> WebResponse {
        Fixture.json(body, status: status, headers: nonce.map { [("DPoP-Nonce", $0)] } ?? [])
    }

    private static func challengeResponse(_ challenge: String, nonce: String? = "r1", status: Int = 401) -> WebResponse {
        WebResponse(status: status, headers: [("WWW-Authenticate", challenge)] + (nonce.map { [("dpop-nonce", $0)] } ?? []))
    }

    @Test func retriesOnceAtTheAuthorizationServer() {
        // DPOP-03, N-38.
        var nonces = ProofNonces()
        #expect(nonces.retryNonce(after: Self.nonceError(), to: token, as: .authorizationServer, isRetry: false) == "n1")
        #expect(nonces.nonce(for: token.url, as: .authorizationServer) == "n1")
        #expect(nonces.retryNonce(after: Self.nonceError(nonce: "n2"), to: token, as: .authorizationServer, isRetry: true) == nil)
        #expect(nonces.nonce(for: token.url, as: .authorizationServer) == "n2")
    }

    @Test(arguments: ["DPoP", "dPoP", "DPOP", "dpop"]) func retriesOnceAtAResource(_ scheme: String) {
        // DPOP-04, FAPI-28.
        var nonces = ProofNonces()
        let answer = Self.challengeResponse(
            "\(scheme) error=\"use_dpop_nonce\", error_description=\"Resource server requires nonce in DPoP proof\"")
        #expect(nonces.retryNonce(after: answer, to: resource, as: .resourceServer, isRetry: false) == "r1")
        #expect(nonces.retryNonce(after: answer, to: resource, as: .resourceServer, isRetry: true) == nil)
    }

    @Test func findsTheChallengeAmongOthers() {
        var nonces = ProofNonces()
        let answer = WebResponse(
            status: 401,
            headers: [
                ("WWW-Authenticate", "Basic realm=\"x\", Bearer error=\"invalid_token\""),
                ("WWW-Authenticate", "DPoP algs=\"ES256\", error=use_dpop_nonce"), ("DPoP-Nonce", "r1"),
            ])
        #expect(nonces.retryNonce(after: answer, to: resource, as: .resourceServer, isRetry: false) == "r1")
    }

    @Test func noncesAreSeparateByRoleAndOrigin() throws {
        // DPOP-04: one origin in both roles, another port, another host.
        var nonces = ProofNonces()
        let elsewhere = WebRequest(method: .post, url: try Fixture.url("https://one.example.org:8443/token"))
        _ = nonces.retryNonce(after: Self.nonceError(nonce: "as"), to: token, as: .authorizationServer, isRetry: false)
        _ = nonces.retryNonce(
            after: WebResponse(status: 200, headers: [("DPoP-Nonce", "rs")]), to: resource, as: .resourceServer, isRetry: false)
        _ = nonces.retryNonce(after: Self.nonceError(nonce: "port"), to: elsewhere, as: .authorizationServer, isRetry: false)
        #expect(nonces.nonce(for: token.url, as: .authorizationServer) == "as")
        #expect(nonces.nonce(for: try Fixture.url("https://one.example.org/par"), as: .authorizationServer) == "as")
        #expect(nonces.nonce(for: token.url, as: .resourceServer) == "rs")
        #expect(nonces.nonce(for: elsewhere.url, as: .authorizationServer) == "port")
        #expect(nonces.nonce(for: try Fixture.url("https://two.example.org/"), as: .authorizationServer) == nil)
    }

    @Test func successfulResponsesUpdateTheNonce() {
        // N-38, RFC 9449 section 8.2.
        var nonces = ProofNonces()
        for nonce in ["a", "b"] {
            let answer = WebResponse(status: 200, headers: [("DPoP-Nonce", nonce)])
            #expect(nonces.retryNonce(after: answer, to: token, as: .authorizationServer, isRetry: false) == nil)
        }
        #expect(nonces.nonce(for: token.url, as: .authorizationServer) == "b")
        _ = nonces.retryNonce(after: WebResponse(status: 200), to: token, as: .authorizationServer, isRetry: false)
        #expect(nonces.nonce(for: token.url, as: .authorizationServer) == "b")
    }

    @Test(arguments: [
        nonceError(nonce: nil), nonceError(status: 200), nonceError(status: 500), nonceError(body: #"{"error":"invalid_dpop_proof"}"#),
        nonceError(body: "<html>"),
        nonceError(body: #"{"error":"use_dpop_nonce","error":"use_dpop_nonce"}"#), challengeResponse("DPoP error=\"use_dpop_nonce\""),
    ])
    func doesNotRetryWithoutANonceRequest(_ answer: WebResponse) {
        var nonces = ProofNonces()
        #expect(nonces.retryNonce(after: answer, to: token, as: .authorizationServer, isRetry: false) == nil)
    }

    @Test(arguments: [
        challengeResponse("Bearer error=\"use_dpop_nonce\""), challengeResponse("DPoP error=\"invalid_token\""), challengeResponse("DPoP"),
        challengeResponse("DPoP error=\"use_dpop_nonce\"", nonce: nil), challengeResponse("DPoP error=\"use_dpop_nonce\"", status: 403),
        challengeResponse("DPoP error=\"use_dpop_nonce\", error=\"use_dpop_nonce\""), nonceError(),
    ])
    func doesNotRetryAResourceWithoutANonceRequest(_ answer: WebResponse) {
        var nonces = ProofNonces()
        #expect(nonces.retryNonce(after: answer, to: resource, as: .resourceServer, isRetry: false) == nil)
    }

    @Test(arguments: ["", "two words", "quo\"te", "back\\slash", "line\r\nX: y", "nul\u{0}", "é", String(repeating: "a", count: 4096)])
    func refusesNoncesThatCannotBeSent(_ nonce: String) {
        // DPOP-11.
        var nonces = ProofNonces()
        #expect(nonces.retryNonce(after: Self.nonceError(nonce: nonce), to: token, as: .authorizationServer, isRetry: false) == nil)
        #expect(nonces.nonce(for: token.url, as: .authorizationServer) == nil)
    }

    @Test func acceptsOneNonceUpToTheMaximumLength() {
        var nonces = ProofNonces()
        let longest = String(repeating: "~", count: ProofNonces.maximumLength)
        #expect(
            nonces.retryNonce(after: Self.nonceError(nonce: longest), to: token, as: .authorizationServer, isRetry: false) == longest)
        var doubled = Self.nonceError(nonce: "x")
        doubled.headers.append(("DPoP-Nonce", "y"))
        #expect(nonces.retryNonce(after: doubled, to: token, as: .authorizationServer, isRetry: false) == nil)
        #expect(nonces.nonce(for: token.url, as: .authorizationServer) == longest)
    }
}
