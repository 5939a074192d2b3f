internal import AuthEngine
internal import AuthModel
internal import OAuth

/// A flow of a sign-in that is open and waits for the user. Several flows may wait at the same time.
///
/// | flow | file |
/// |---|---|
/// | browser, redirected to a loopback port (RFC 8252) | ``BrowserFlow`` |
/// | a code typed on any device (RFC 8628) | ``DeviceFlow`` |
/// | a redirect URL or code that is pasted | ``ManualFlow`` |
protocol SignInFlow<Outcome>: Sendable {
    /// The result of a successful flow.
    associatedtype Outcome: Sendable

    /// Waits for the user, and returns once: the result, or the failure that ended this flow.
    func outcome() async -> Result<Outcome, AuthFailure>

    /// Closes everything that the flow has open. When this returns, no port is open and no request is sent any more.
    func close() async

    /// Whether a failure of this flow ends the attempt, even if other flows are still open.
    func endsAttempt(_ failure: AuthFailure) -> Bool

    /// Returns the failure to report at the attempt's deadline; `nil` for a plain timeout.
    func timedOut() async -> AuthFailure?
}

/// The result of a flow at an OAuth provider.
enum FlowOutcome: Sendable {
    /// The provider's answer with a code, which must be redeemed.
    case callback(ValidatedCallback)
    /// The tokens of a device flow, whose polling request also redeems the code.
    case tokens(TokenAnswer)
}

/// The tokens of a sign-in, and the response that they came in, which may identify the user.
struct TokenAnswer: Sendable {
    let tokens: TokenSet
    let response: WebResponse
}

extension SignInFlow {
    func close() async {}
    func timedOut() async -> AuthFailure? { nil }
}
