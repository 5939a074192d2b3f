/// Ends sessions. A role of ``SessionService``.
public protocol SignOutService: Sendable {
    /// Ends a session. When this returns, the session is deleted locally, regardless of the provider's response.
    func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt

    /// Waits until the user's browser returns from ``SignOutReceipt/browserURL``, and returns the outcome of the step
    /// ``SignOutReceipt/Step/endBrowserSession``. The session is already deleted locally. Call this once per sign-out.
    ///
    /// Throws `.cancelled` if the task is cancelled or ``stopWaiting(for:)`` is called; the port is then closed.
    func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome

    /// Stops waiting for a browser. When this returns, its port is closed.
    func stopWaiting(for id: BrowserReturn.ID) async

    /// Sends the due revocations that could not be sent at sign-out (RFC 7009 section 2.2.1).
    ///
    /// - Returns: when the next revocation is due; `nil` if none is pending or the store is locked.
    func deliverRevocations() async -> Timestamp?
}
