internal import AuthModel
internal import SessionStore
internal import Synchronization

/// Providers' responses that the store could not save, one for each session.
///
/// The request spent the refresh token, so it is not sent again: the response is saved before the next request.
final class UnsavedResponses: Sendable {
    /// A change of a session that is still to be saved.
    typealias Change = @Sendable (inout SessionRecord) -> Void

    private struct Response {
        /// The session's tokens when the request was sent.
        let tokens: TokenSet?
        let change: Change
    }

    private let responses = Mutex<[SessionName: Response]>([:])

    /// Keeps the response to a request that was sent with the tokens of `sent`.
    func keep(_ change: @escaping Change, of sent: SessionRecord) {
        responses.withLock { $0[sent.summary.name] = Response(tokens: sent.tokens, change: change) }
    }

    /// Returns the response that is to be saved into `record`; `nil` if there is none, or if a new sign-in has replaced the session.
    func change(of record: SessionRecord) -> Change? {
        responses.withLock { responses in
            let name = record.summary.name
            guard let response = responses[name] else { return nil }
            if response.tokens == record.tokens { return response.change }
            responses[name] = nil
            return nil
        }
    }

    /// Removes the session's response.
    func remove(_ session: SessionName) { responses.withLock { $0[session] = nil } }

    /// Removes all responses.
    func removeAll() { responses.withLock { $0.removeAll() } }
}
