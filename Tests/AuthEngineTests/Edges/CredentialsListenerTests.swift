import AuthModel
import OAuth
import ProcessHarness
import Synchronization
import Testing

@testable import AuthEngine

/// The address where a command gets credentials: who gets an answer, and who does not.
@Suite struct CredentialsListenerTests {
    /// How often the document was issued.
    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    private static let document = "{\"AccessKeyId\":\"ASIA1\"}"

    /// Opens a listener, sends it a request, and returns the answer and the number of documents that were issued.
    ///
    /// - Parameters:
    ///   - request: the request; `PORT` and `TOKEN` stand for those of the listener.
    private static func answer(
        to request: String, isForeign: Bool = false, result: Result<Secret, AuthFailure> = .success(Secret(document))
    ) async throws -> (text: String, issued: Int) {
        let issued = Counter()
        let listener = try await CredentialsListener.open(isForeign: { _ in isForeign }) {
            issued.add()
            return result
        }
        let port = listener.address.origin.port
        #expect(listener.address.text == "http://127.0.0.1:\(port)/credentials" && listener.token.count == 43)
        let sent = request.replacing("PORT", with: String(port)).replacing("TOKEN", with: listener.token.reveal())
        let text = await RawClient.exchange(port: port, sent.replacing("\n", with: "\r\n") + "\r\n\r\n")
        await listener.close()
        #expect(await RawClient.get("/credentials", port: port) == nil)
        return (try #require(text), issued.value)
    }

    private static let right = "GET /credentials HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: TOKEN"

    @Test func tokenOfTheCommandGetsTheDocument() async throws {
        let (text, issued) = try await Self.answer(to: Self.right)
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n" + Self.document) && issued == 1, "\(text)")
        #expect(text.lowercased().contains("cache-control: no-store") && text.lowercased().contains("content-type: application/json"))
    }

    @Test(arguments: [
        ("GET /credentials HTTP/1.1\nHost: 127.0.0.1:PORT", "401"),
        ("GET /credentials HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: other", "401"),
        ("GET /credentials HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN", "401"),
        ("GET /credentials HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: TOKEN\nAuthorization: TOKEN", "401"),
        ("GET /credentials?x HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: TOKEN", "404"),
        ("GET / HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: TOKEN", "404"),
        ("POST /credentials HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: TOKEN\nContent-Length: 0", "405"),
        // A name that resolves to this machine.
        ("GET /credentials HTTP/1.1\nHost: localhost:PORT\nAuthorization: TOKEN", "400"),
        ("GET /credentials HTTP/1.1\nHost: evil.example\nAuthorization: TOKEN", "400"),
        ("GET http://evil.example/credentials HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: TOKEN", "400"),
    ])
    func otherRequestsGetNothing(request: String, status: String) async throws {
        let (text, issued) = try await Self.answer(to: request)
        #expect(text.hasPrefix("HTTP/1.1 \(status) ") && !text.contains("ASIA1") && issued == 0, "\(text)")
    }

    /// The token alone is not enough for a program of another user.
    @Test func anotherUserGetsNothing() async throws {
        let (text, issued) = try await Self.answer(to: Self.right, isForeign: true)
        #expect(text.hasPrefix("HTTP/1.1 401 ") && issued == 0, "\(text)")
    }

    /// Libraries ask again after this answer, which has no more than the kind of the failure.
    @Test func failureIsTemporaryForTheLibrary() async throws {
        let (text, issued) = try await Self.answer(to: Self.right, result: .failure(AuthFailure(.signInAgain, text: "a reason")))
        #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("exit 6") && !text.contains("a reason") && issued == 1, "\(text)")
    }
}
