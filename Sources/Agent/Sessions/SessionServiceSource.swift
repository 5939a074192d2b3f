package import AuthModel

/// Creates the agent's session service from the configuration, which may change while the agent runs.
public struct SessionServiceSource: Sendable {
    /// Returns numbers that identify the current configuration; other numbers mean that it changed. Called for every request,
    /// so it must be fast.
    public var revision: @Sendable () -> [Int]
    /// Creates a session service for the current configuration, always on the same store.
    package var make: @Sendable () async throws(AuthFailure) -> any SessionService

    /// Creates a source.
    package init(revision: @escaping @Sendable () -> [Int], make: @escaping @Sendable () async throws(AuthFailure) -> any SessionService) {
        self.revision = revision
        self.make = make
    }
}
