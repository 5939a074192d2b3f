import AuthModel

/// What answers the requests of a connection: the whole service, or a part of it.
protocol RequestAnswering: Sendable {
    /// Returns whether the answer is usually ready at once, without a long computation or a blocking wait.
    func isAnsweredOnLoop(_ request: AgentRequest) -> Bool

    /// Returns an answer that is ready, without suspending the caller; `nil` if ``answer(_:)`` has to be asked.
    func cachedAnswer(_ request: AgentRequest) -> AgentAnswer?

    /// Answers one request. A failure is an answer too.
    func answer(_ request: AgentRequest) async -> AgentAnswer
}

extension AgentService: RequestAnswering {}
