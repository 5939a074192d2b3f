internal import AuthModel
internal import OAuth

/// Sends requests to resources with one session's token, or without a token.
protocol ResourceConversation {
    /// Returns the request in the form that these resources expect, without credentials.
    func prepared(_ request: WebRequest) -> WebRequest

    /// Returns the final response from one address, with any status; a redirect counts as a response.
    func finalResponse(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse

    /// Returns the failure that a response means; `nil` for success.
    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure?
}

extension ResourceConversation {
    func prepared(_ request: WebRequest) -> WebRequest { request }

    /// Returns the final response from the resource, with any status. Follows at most five redirects, within one host.
    func answer(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        var request = prepared(request)
        for _ in 0...5 {
            let answer = try await finalResponse(to: request)
            guard let next = try ResourceTransport.redirect(answer.response, of: request) else { return answer }
            request.url = next
        }
        throw AuthFailure(
            .unavailable(retryAfter: nil), "\(request.url.origin.authority) redirects in a loop",
            hint: "contact the administrator of that server")
    }
}
