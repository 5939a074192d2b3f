import TestSupport
import Testing

@testable import FastPath

/// The launcher accepts only the plain response; `yett-main` handles everything else.
@Suite(.startsPrograms) struct TokenAnswerTests {
    private func token(_ answer: String) -> String? {
        Array(answer.utf8).withUnsafeBytes { bytes in
            RawResponse(in: bytes)?.token(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
        }
    }

    private func answer(_ body: String, status: String = "200 OK", length: Int? = nil) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(length ?? body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    private let body = #"{"token":"abc.DEF-1~+/=","token_type":"Bearer","expires_at":null,"scopes":[],"session":"work/ada"}"#

    @Test func readsTheToken() {
        #expect(token(answer(body)) == "abc.DEF-1~+/=")
        #expect(token("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)") == "abc.DEF-1~+/=")
    }

    @Test func requiresTheCompleteResponse() {
        let whole = answer(body)
        for count in 0..<whole.utf8.count { #expect(token(String(decoding: whole.utf8.prefix(count), as: UTF8.self)) == nil) }
        #expect(token(whole + "x") == nil)
    }

    @Test(arguments: ["404 Not Found", "423 Locked", "301 Moved", "2000 OK"])
    func rejectsOtherStatusCodes(status: String) {
        #expect(token(answer(body, status: status)) == nil)
    }

    @Test(arguments: [
        #"{"token":"","token_type":"Bearer"}"#, #"{"token":"a\"b","token_type":"Bearer"}"#, #"{"token":"a b","token_type":"Bearer"}"#,
        #"{"token":"é","token_type":"Bearer"}"#, #"{"token":"a\u0041","token_type":"Bearer"}"#, #"{"token": "a","token_type":"Bearer"}"#,
        #"{"token_type":"Bearer","token":"a"}"#, #"{"token":"a"}"#, #"{"token":"a","token_type":"Bearer""#,
        #"{"token":null,"token_type":""}"#, #"{"token":"a","token_type":"DPoP"}"#, #"{"token":"a","token_type":"dpop","expires_at":null}"#,
        "{\"token\":\"a\nb\",\"token_type\":\"Bearer\"}", "", "{}", "[]",
    ])
    func rejectsOtherBodies(body: String) {
        #expect(token(answer(body)) == nil)
    }

    @Test(arguments: [0, 1, 1000, 99_999_999])
    func rejectsAWrongContentLength(length: Int) {
        #expect(token(answer(body, length: length)) == nil)
    }

    /// Interim responses say that the agent is working; the final response follows them.
    @Test(arguments: ["HTTP/1.1 102 Processing\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 102 Processing\r\nX: y\r\n\r\n"])
    func skipsInterimResponses(interim: String) {
        #expect(token(interim + answer(body)) == "abc.DEF-1~+/=")
        #expect(token(interim) == nil)
    }

    @Test func findsTheBodyOfAnErrorResponse() throws {
        let text = "HTTP/1.1 102 Processing\r\n\r\n" + answer(#"{"error":{}}"#, status: "401 Unauthorized")
        let found = try #require(
            Array(text.utf8).withUnsafeBytes { bytes in
                RawResponse(in: bytes).map { ($0.status, String(decoding: bytes[$0.body], as: UTF8.self)) }
            })
        #expect(found.0 == 401)
        #expect(found.1 == #"{"error":{}}"#)
    }

    @Test func requiresAContentLength() {
        #expect(token("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)") == nil)
        // A Content-Length in the body does not count.
        #expect(token("HTTP/1.1 200 OK\r\nX: y\r\n\r\n\r\nContent-Length: 5\r\n\r\n\(body)") == nil)
    }
}
