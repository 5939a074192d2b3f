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
            guard let next = try request.redirect(by: answer.response) else { return answer }
            request.url = next
        }
        throw AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("resource.redirect_loop", ["host": request.url.origin.authority]),
            hint: "hint.contact_server_administrator")
    }
}

extension WebRequest {
    /// Returns the target of a redirect within the same origin; `nil` if the response is no redirect. Throws `.security` for any other
    /// origin.
    fileprivate func redirect(by answer: WebResponse) throws(AuthFailure) -> WebURL? {
        guard [301, 302, 303, 307, 308].contains(answer.status), let location = answer.header("Location") else { return nil }
        let origin = url.origin
        guard let next = url.resolving(location)?.normalized, next.origin == origin, next.fragment == nil else {
            throw AuthFailure(
                .security, UserMessage("resource.redirect_to_another_host", ["host": origin.authority]),
                hint: UserMessage("hint.token_sent_only_to", ["host": origin.authority]))
        }
        guard method == .get else {
            throw AuthFailure(
                .denied(code: nil), UserMessage("resource.redirect_of_non_get", ["host": origin.authority]),
                hint: UserMessage("hint.send_request_to", ["url": next]))
        }
        return next
    }
}
