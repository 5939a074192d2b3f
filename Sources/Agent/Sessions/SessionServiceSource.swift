public import AuthModel

/// Where the agent's session service comes from: the configuration, which may change while the agent runs.
public struct SessionServiceSource: Sendable {
    /// Names the configuration as it is now; another name means that it changed. Asked for every request, so it must be cheap.
    public var revision: @Sendable () -> String
    /// Makes a session service of the configuration as it is now, always on the same store.
    public var make: @Sendable () async throws(AuthFailure) -> any SessionService

    public init(revision: @escaping @Sendable () -> String, make: @escaping @Sendable () async throws(AuthFailure) -> any SessionService) {
        self.revision = revision
        self.make = make
    }
}
