internal import AuthModel
internal import Synchronization

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
