package import AuthModel
import Synchronization

/// The session service that does the work, for the current configuration. It is created again when the configuration changes.
final class CurrentService: Sendable {
    private typealias Making = Task<Result<any SessionService, AuthFailure>, Never>

    private struct State {
        var inner: (revision: [Int], service: any SessionService)?
        var making: (revision: [Int], task: Making)?
        /// Passes the service's events on.
        var pump: Task<Void, Never>?
        var handler: (@Sendable (SessionServiceEvent) async -> Void)?
    }

    private let source: SessionServiceSource
    private let cache: IssuedTokenCache
    private let state = Mutex(State())

    /// Creates a holder without a service.
    ///
    /// - Parameter cache: cleared for each new service.
    init(source: SessionServiceSource, cache: IssuedTokenCache) {
        self.source = source
        self.cache = cache
    }

    /// Sets what to do with the services' events.
    func whenEvent(_ handler: @escaping @Sendable (SessionServiceEvent) async -> Void) { state.withLock { $0.handler = handler } }

    /// Returns the session service for the current configuration. Does not suspend the caller while the configuration is unchanged.
    func current(isolation: isolated (any Actor)? = #isolation) async throws(AuthFailure) -> any SessionService {
        let revision = source.revision()
        let found: (service: (any SessionService)?, task: Making?) = state.withLock { state in
            if let inner = state.inner, inner.revision == revision { return (inner.service, nil) }
            if state.making?.revision != revision { state.making = (revision, Task { await make(revision) }) }
            return (nil, state.making?.task)
        }
        if let service = found.service { return service }
        guard let task = found.task else { throw AuthFailure(.bug, "agent.no_session_service") }
        return try await task.value.get()
    }

    /// Whether there is a session service for the current configuration.
    var isCurrent: Bool {
        let revision = source.revision()
        return state.withLock { $0.inner?.revision == revision }
    }

    /// Returns the last session service, for work that must continue when the configuration is broken.
    func lastKnown(isolation: isolated (any Actor)? = #isolation) async throws(AuthFailure) -> any SessionService {
        if let service = state.withLock({ $0.inner?.service }) { return service }
        return try await current()
    }

    private func make(_ revision: [Int]) async -> Result<any SessionService, AuthFailure> {
        let result: Result<any SessionService, AuthFailure>
        do throws(AuthFailure) { result = .success(try await source.make()) } catch { result = .failure(error) }
        let service = try? result.get()
        state.withLock { state in
            if state.making?.revision == revision { state.making = nil }
            guard let service else { return }
            // Before the service is visible: no token that was issued for the old configuration is given to a caller of the new one.
            cache.clear()
            state.inner = (revision, service)
        }
        guard let service else { return result }
        let events = await service.events()
        state.withLock { state in
            state.pump?.cancel()
            state.pump = Task { [handler = state.handler] in
                for await event in events { await handler?(event) }
            }
        }
        return result
    }

    /// Passes no more events on.
    func endEvents() { state.withLock { $0.pump?.cancel() } }
}

/// Creates the agent's session service from the configuration, which may change while the agent runs.
public struct SessionServiceSource: Sendable {
    /// Returns numbers that identify the current configuration; other numbers mean that it changed. Called for every request,
    /// so it must be fast.
    public var revision: @Sendable () -> [Int]
    /// Creates a session service for the current configuration, always on the same store.
    package var make: @Sendable () async throws(AuthFailure) -> any SessionService

    package init(revision: @escaping @Sendable () -> [Int], make: @escaping @Sendable () async throws(AuthFailure) -> any SessionService) {
        self.revision = revision
        self.make = make
    }
}

/// The service that each sign-in attempt and each wait for the browser started with. The configuration may have changed since.
final class StartedOperations: Sendable {
    private struct State {
        var attempts: [SignInAttempt.ID: any SessionService] = [:]
        var returns: [BrowserReturn.ID: any SessionService] = [:]
    }

    private let state = Mutex(State())

    /// Whether a sign-in is in progress.
    var hasAttempts: Bool { state.withLock { !$0.attempts.isEmpty } }

    /// Whether a sign-in or a wait for the browser is in progress.
    var hasAny: Bool { state.withLock { !$0.attempts.isEmpty || !$0.returns.isEmpty } }

    /// The service of an attempt; `nil` after its end.
    subscript(attempt: SignInAttempt.ID) -> (any SessionService)? {
        get { state.withLock { $0.attempts[attempt] } }
        set { state.withLock { $0.attempts[attempt] = newValue } }
    }

    /// The service that waits for the browser; `nil` after the wait.
    subscript(wait: BrowserReturn.ID) -> (any SessionService)? {
        get { state.withLock { $0.returns[wait] } }
        set { state.withLock { $0.returns[wait] = newValue } }
    }

    /// Removes a wait for the browser and returns its service; `nil` if there is none.
    func remove(_ wait: BrowserReturn.ID) -> (any SessionService)? { state.withLock { $0.returns.removeValue(forKey: wait) } }

    /// Cancels all attempts and all waits for the browser.
    func cancelAll() async {
        let (attempts, returns) = state.withLock { ($0.attempts, $0.returns) }
        for (attempt, service) in attempts { await service.cancel(attempt) }
        for (id, service) in returns { await service.stopWaiting(for: id) }
    }
}
