internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds

/// Sends requests without a token, because there is no session and no sign-in is wanted or needed.
struct AnonymousRequest: ResourceConversation {
    let provider: ProviderConfiguration
    let context: CommandContext

    func finalResponse(to request: WebRequest) async throws(AuthFailure) -> ResourceResponse {
        context.console.note("sent without a token")
        let answer = try await ResourceTransport(provider: provider, context: context).sendAnonymously(request)
        return ResourceResponse(url: request.url, response: answer, isAnonymous: true)
    }

    func failure(_ answer: WebResponse, from url: WebURL) -> AuthFailure? {
        provider.resourceDialect.failure(answer, from: url.origin.authority)
    }
}
