internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Requests that go out without a token, because nobody is signed in and the person wants no sign-in.
struct AnonymousRequest: ResourceConversation {
    let provider: ProviderConfiguration
    let context: CommandContext

    func settledAnswer(to request: WebRequest) async throws(AuthFailure) -> ResourceAnswer {
        context.console.note("sent without a token")
        let answer = try await ResourceTransport(provider: provider, context: context).sendAnonymously(request)
        return ResourceAnswer(url: request.url, response: answer, isAnonymous: true)
    }

    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        provider.resourceDialect.failure(answer, from: url.origin.authority)
    }
}
