public import AuthModel

/// The exchange of a code by a backend that alone holds the client secret. The backend receives the code and the values of its request.
public enum BackendExchange {
    /// Builds a POST of `{"code", "state", "redirect_uri", "code_verifier"}` as JSON.
    public static func request(_ callback: ValidatedCallback, to backend: WebURL) -> WebRequest {
        let pending = callback.pending
        let body = JSONValue.object([
            .init("code", .string(callback.code.reveal())), .init("state", .string(pending.state.reveal())),
            .init("redirect_uri", .string(pending.redirectURI)), .init("code_verifier", .string(pending.verifier.reveal())),
        ])
        return WebRequest(
            method: .post, url: backend, headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
            body: Array(body.text.utf8))
    }
}
