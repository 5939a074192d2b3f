public import AuthModel

/// Creates the agent's session service from the configuration, which may change while the agent runs.
public struct SessionServiceSource: Sendable {
    /// Returns an identifier of the current configuration; a different one means that the configuration changed. Called for every request,
    /// so it must be fast.
    public var revision: @Sendable () -> String
    /// Creates a session service for the current configuration, always on the same store.
    public var make: @Sendable () async throws(AuthFailure) -> any SessionService

    /// Creates a source.
    public init(revision: @escaping @Sendable () -> String, make: @escaping @Sendable () async throws(AuthFailure) -> any SessionService) {
        self.revision = revision
        self.make = make
    }
}
