import AuthModel
import OAuth
import ResourceClient
import Synchronization
import Testing

@testable import CommandLineTool

/// The policy `ask` for the requests of a command to one host (`yett exec --intercept`).
@Suite(.timeLimit(.minutes(10))) final class ProxyConsentTests: Sendable {
    private let asked = Mutex<[TokenRequest.Consent?]>([])

    private func credential(_ number: Int) throws(AuthFailure) -> SessionCredential {
        guard let session = SessionName("work/ada") else { throw AuthFailure(.bug, text: "no name") }
        let issued = IssuedToken(
            token: Secret("token \(number)"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: session)
        return SessionCredential(issued, dialect: BearerDialect(), proofs: nil)
    }

    /// Returns the token of a request.
    private func token(
        _ consent: ProxyConsent, before: @escaping @Sendable () async throws(AuthFailure) -> Void = {}
    ) async throws -> String {
        try await consent.credential { answer throws(AuthFailure) in
            let number = self.asked.withLock { asked in
                asked.append(answer)
                return asked.count
            }
            try await before()
            return try self.credential(number)
        }.issued.token.reveal()
    }

    @Test func firstRequestAsksAndTheOthersWait() async throws {
        let consent = ProxyConsent()
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await self.token(consent) { () async throws(AuthFailure) in
                        var given = answers.makeAsyncIterator()
                        _ = await given.next()
                    }
                }
            }
            while asked.withLock({ $0.isEmpty }) { await Task.yield() }
            for _ in 0..<200 { await Task.yield() }
            #expect(asked.withLock(\.count) == 1)
            answer.finish()
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 20)
        #expect(asked.withLock(\.self) == [nil] + Array(repeating: .given, count: 19))
    }

    /// The user has agreed once. The agent decides each further request without a question: another program may send it.
    @Test func eachRequestIsIssuedAfterTheConsent() async throws {
        let consent = ProxyConsent()
        for number in 1...3 { #expect(try await token(consent) == "token \(number)") }
        #expect(asked.withLock(\.self) == [nil, .given, .given])
        let blocked = AuthFailure(.denied(code: nil), text: "blocked")
        await #expect(throws: blocked) { try await self.token(consent) { () async throws(AuthFailure) in throw blocked } }
        #expect(try await token(consent) == "token 5")
    }

    @Test func refusalByTheUserIsFinal() async throws {
        let consent = ProxyConsent()
        let session = try #require(SessionName("work/ada"))
        let refusal = AuthFailure.tokenRefused(session, isUnanswered: false)
        for _ in 0..<2 {
            await #expect(throws: refusal) { try await self.token(consent) { () async throws(AuthFailure) in throw refusal } }
        }
        #expect(asked.withLock(\.count) == 1)
    }

    @Test func questionWithoutAnAnswerIsAskedAgain() async throws {
        let consent = ProxyConsent()
        let session = try #require(SessionName("work/ada"))
        let failures = [AuthFailure.tokenRefused(session, isUnanswered: true), .consentRequired(session)]
        for failure in failures {
            await #expect(throws: failure) { try await self.token(consent) { () async throws(AuthFailure) in throw failure } }
        }
        #expect(try await token(consent) == "token 3")
        #expect(asked.withLock(\.self) == [nil, nil, nil])
    }
}
