public import AuthModel

/// What a browser brings back from the provider's end-session page (RP-Initiated Logout section 3).
///
/// `state` tells that it was sent by this request and not by some page; it does not tell whether the session was ended, so an answer
/// without the right one takes nothing back.
public enum EndSessionAnswer: Equatable, Sendable {
    /// With this request's state.
    case ours
    case missingState
    /// Another state, one that stands there twice, or a query that cannot be read.
    case wrongState

    /// Judges the raw query of a request to `post_logout_redirect_uri`.
    public init(query: String, state: Secret) {
        guard let pairs = FormEncoding.decode(query) else {
            self = .wrongState
            return
        }
        let states = pairs.filter { $0.name == "state" }
        if states.isEmpty {
            self = .missingState
        } else {
            self = states.count == 1 && Secret(states[0].value) == state ? .ours : .wrongState
        }
    }
}
