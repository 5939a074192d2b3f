package import AuthModel
package import OAuth

/// Sends requests to resources with one session's token, or without a token.
package protocol ResourceConversation {
    /// Returns the request in the form that these resources expect, without credentials.
    func prepared(_ request: WebRequest) -> WebRequest

    /// Returns the final response from one address, with any status; a redirect counts as a response.
    func finalResponse(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse

    /// Returns the failure that a response means; `nil` for success.
    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure?
}

extension ResourceConversation {
    /// Default: the request, unchanged.
    package func prepared(_ request: WebRequest) -> WebRequest { request }

    /// Returns the final response from the resource, with any status. Follows at most five redirects, within one host.
    package func answer(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        var request = prepared(request)
        for _ in 0...5 {
            let answer = try await finalResponse(to: request)
            let response = answer.response
            guard let next = try request.redirect(status: response.status, location: response.header("Location")) else { return answer }
            request.url = next
        }
        throw request.redirectLoop
    }
}
