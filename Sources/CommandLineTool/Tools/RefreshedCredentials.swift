internal import AuthModel

/// The credentials of a role for a command that runs, whose libraries ask for them again and again.
///
/// If each new request could need the user, the last ones are held until shortly before their end, or until they are withdrawn. Otherwise
/// the session service keeps them, and each request asks it, so that a lock, a sign-out or a block takes effect at once. One request for
/// new ones runs at a time.
actor RefreshedCredentials {
    /// The time before their end from which credentials are no longer given.
    static let margin = Duration.seconds(300)
    /// The time for which a failure is held that only the user can end, so that a library's repetitions ask the user nothing again.
    static let pause = Duration.seconds(60)

    private let time: any TimeSource
    private let fetch: @Sendable () async -> Result<RoleCredentials, AuthFailure>
    private let isHolding: Bool
    private var held: RoleCredentials?
    /// Counts the withdrawals: credentials that were requested before one are not held.
    private var withdrawals = 0
    private var running: Task<Result<RoleCredentials, AuthFailure>, Never>?
    private var failed: (failure: AuthFailure, until: Duration)?

    /// Creates the credentials, beginning with those that were already issued.
    ///
    /// - Parameters:
    ///   - isHolding: whether credentials are held.
    ///   - fetch: issues new ones.
    init(
        _ first: RoleCredentials, isHolding: Bool = true, time: any TimeSource,
        fetch: @escaping @Sendable () async -> Result<RoleCredentials, AuthFailure>
    ) {
        (held, self.isHolding, self.time, self.fetch) = (isHolding ? first : nil, isHolding, time, fetch)
    }

    /// Drops what is held, after a lock, or when the session has ended.
    func withdraw() {
        held = nil
        withdrawals += 1
    }

    /// Returns credentials that do not end soon.
    func current() async -> Result<RoleCredentials, AuthFailure> {
        if let held, let end = Timestamp(held.expiration), time.now < end - Self.margin { return .success(held) }
        if let running { return await running.value }
        if let failed, time.bootTime < failed.until { return .failure(failed.failure) }
        let task = Task { await fetched() }
        running = task
        return await task.value
    }

    private func fetched() async -> Result<RoleCredentials, AuthFailure> {
        let before = withdrawals
        let result = await fetch()
        running = nil
        switch result {
        case .success(let credentials): (held, failed) = (isHolding && withdrawals == before ? credentials : nil, nil)
        case .failure(let failure): failed = failure.isTransient ? nil : (failure, time.bootTime + Self.pause)
        }
        return result
    }
}
