public import AuthModel

/// The validation result of a redirect from the provider's logout page (RP-Initiated Logout section 3).
///
/// `state` proves that the redirect belongs to this request and was not made by another page. It does not prove that the session was ended,
/// so a redirect without the correct state does not undo the local sign-out.
public enum EndSessionResponse: Equatable, Sendable {
    /// The state of this request.
    case ours
    case missingState
    /// A different state, a duplicate state, or an unreadable query.
    case wrongState

    /// Validates the raw query of a request to `post_logout_redirect_uri`.
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
