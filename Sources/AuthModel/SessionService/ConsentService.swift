/// Asks the user whether a program gets a token, where a provider's ``TokenPolicy`` wants that. A role of ``SessionService``.
public protocol ConsentService: Sendable {
    /// Returns the same stream to a caller that shows each ``SessionServiceEvent/asked(_:)`` to the user and calls
    /// ``answerQuestion(_:allows:)``. Consent questions are asked only while such a stream is open.
    func interactiveEvents() async -> AsyncStream<SessionServiceEvent>

    /// Answers a consent question. Throws `.usage` if the question is no longer open.
    ///
    /// - Parameter witness: the process that passes the user's answer on, for the log; `nil` if it is unknown.
    func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure)
}

extension ConsentService {
    /// Answers a question on behalf of this process.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool) async throws(AuthFailure) {
        try await answerQuestion(id, allows: allows, from: nil)
    }
}
