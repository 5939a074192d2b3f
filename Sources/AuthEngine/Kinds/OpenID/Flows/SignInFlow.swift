internal import AuthModel
internal import OAuth

/// One way for the person to go through with a sign-in, opened and waiting for them. Several may wait side by side.
///
/// | flow | file |
/// |---|---|
/// | browser, back to a loopback port (RFC 8252) | ``BrowserFlow`` |
/// | a code typed on any device (RFC 8628) | ``DeviceFlow`` |
/// | a redirect URL or code that is pasted | ``ManualFlow`` |
protocol SignInFlow<Outcome>: Sendable {
    /// What the person brings.
    associatedtype Outcome: Sendable

    /// Waits for the person, and returns once: with what they brought, or with why this way came to its end.
    func outcome() async -> Result<Outcome, AuthFailure>

    /// Closes whatever is open for it; when this returns, no port is open and nothing is asked any more.
    func close() async

    /// Whether a failure of this way ends the attempt, though others are still open.
    func endsAttempt(_ failure: AuthFailure) -> Bool

    /// What the attempt's deadline means to this way; `nil` where it knows nothing more than that the time is up.
    func timedOut() async -> AuthFailure?
}

/// What a way in gave at an OAuth provider.
enum FlowOutcome: Sendable {
    /// The provider's answer with a code, to be redeemed.
    case callback(ValidatedCallback)
    /// Tokens: on a device, asking whether the person is done and redeeming are one request.
    case tokens(TokenSet, DeviceAuthorization)
}

extension SignInFlow {
    func close() async {}
    func timedOut() async -> AuthFailure? { nil }
}
