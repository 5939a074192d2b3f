/// Signs users in. A role of ``SessionService``.
public protocol SignInService: Sendable {
    /// Starts a sign-in. Does not open a browser: the caller does that on ``SignInEvent/opened(_:)``.
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt

    /// Passes text that the user pasted to an attempt: the complete redirect URL, or a code.
    func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// Answers the questions of ``SignInEvent/asked(_:)``. If an answer is invalid, throws `.usage` or `.configuration`, and the questions
    /// stay open.
    func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// Returns provider-specific sign-in details; `nil` if the standard metadata is sufficient.
    func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails?

    /// Requests a device code (RFC 8628) as an additional sign-in method of a waiting attempt. Before this returns, the code is reported as
    /// ``SignInMethod/device(_:)``; an existing code is reused. See ``SignInEvent/deviceCodeOffered``.
    ///
    /// Throws if the provider issues no code; the attempt continues.
    func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure)

    /// Cancels an attempt. When this returns, its port is closed. Its event stream ends with a cancelled failure.
    func cancel(_ attempt: SignInAttempt.ID) async
}
