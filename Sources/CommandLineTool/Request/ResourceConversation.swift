internal import AuthModel
internal import OAuth

/// Requests to resources in the name of one session, or of nobody.
protocol ResourceConversation {
    /// The request as these resources want it, before anything of a session is on it.
    func prepared(_ request: WebRequest) -> WebRequest

    /// What one address answers in the end, whatever its status; a redirect is an answer.
    func settledAnswer(to request: WebRequest) async throws(AuthFailure) -> ResourceAnswer

    /// The failure that an answer means; `nil` for success.
    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure?
}

extension ResourceConversation {
    func prepared(_ request: WebRequest) -> WebRequest { request }

    /// What the resource answers in the end, whatever its status. Redirects are followed within one host, five at most.
    func answer(to request: WebRequest) async throws(AuthFailure) -> ResourceAnswer {
        var request = prepared(request)
        for _ in 0...5 {
            let answer = try await settledAnswer(to: request)
            guard let next = try ResourceTransport.redirect(answer.response, of: request) else { return answer }
            request.url = next
        }
        throw AuthFailure(
            .unavailable(retryAfter: nil), "\(request.url.origin.authority) redirects in circles", hint: "tell whoever runs it")
    }
}
