public import AuthModel

/// Where the agent's keeper comes from: the configuration, which may change while the agent runs.
public struct KeeperSource: Sendable {
    /// Names the configuration as it is now; another name means that it changed. Asked for every request, so it must be cheap.
    public var revision: @Sendable () -> String
    /// Makes a keeper of the configuration as it is now, always on the same store.
    public var make: @Sendable () async throws(AuthFailure) -> any Keeper

    public init(revision: @escaping @Sendable () -> String, make: @escaping @Sendable () async throws(AuthFailure) -> any Keeper) {
        self.revision = revision
        self.make = make
    }
}
