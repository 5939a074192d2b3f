package import AuthModel
package import OAuth

/// Sends requests without a token, because there is no session and no sign-in is wanted or needed.
package struct AnonymousRequest: ResourceConversation {
    private let dialect: any ResourceDialect
    private let sender: any ResourceSender
    private let user: any ResourceUser

    /// Creates a conversation.
    package init(dialect: any ResourceDialect, sender: any ResourceSender, user: any ResourceUser) {
        self.dialect = dialect
        self.sender = sender
        self.user = user
    }

    package func finalResponse(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        user.note(UserMessage("resource.sent_without_token"))
        let answer = try await sender.sendAnonymously(request, login: nil)
        return ResourceResponse(url: request.url, response: answer, isAnonymous: true)
    }

    package func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        dialect.failure(answer, from: url.origin.authority)
    }
}
