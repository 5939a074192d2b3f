public import AuthModel
import Glibc
import System

/// The agent's life, from its seat to its end.
public struct AgentRun: Sendable {
    public var place: AgentLocation
    public var facts: AgentFacts
    public var environment: [String: String]
    public var log: ActivityLog
    public var time: any TimeSource

    public init(place: AgentLocation, facts: AgentFacts, environment: [String: String], log: ActivityLog, time: any TimeSource) {
        self.place = place
        self.facts = facts
        self.environment = environment
        self.log = log
        self.time = time
    }

    /// Serves a session service until somebody asks the agent to end, the task is cancelled, or the socket is gone; then takes everything
    /// down in order.
    ///
    /// Whoever waits for it, a command or systemd, is told when it serves, and why where it cannot.
    public func run(_ makeService: () async throws(AuthFailure) -> AgentSessionService) async throws(AuthFailure) {
        do throws(AuthFailure) {
            try await serve(makeService)
        } catch {
            ReadinessPipe.report(error, environment: environment)
            throw error
        }
    }

    private func serve(_ makeService: () async throws(AuthFailure) -> AgentSessionService) async throws(AuthFailure) {
        Self.raiseDescriptorLimit()
        let inherited = try SocketActivation.socket(environment: environment)
        let seat = try await AgentLock.takeInTurn(place, inherited: inherited, time: time)
        let (requests, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let service: AgentSessionService
        do throws(AuthFailure) {
            // Only the one who has the seat touches the store.
            service = try await makeService()
            try await service.start()
        } catch {
            seat.removeSocket()
            seat.leave()
            throw error
        }
        let server = try await AgentServer.start(seat, service: service, facts: facts, log: log, time: time) { request.yield() }
        // A socket that somebody put in the place of ours, as systemd does, leaves us unreachable as well.
        let watch = inherited == nil ? SocketWatch(place) { if !seat.isReachable() { request.yield() } } : nil
        let notifier = ServiceNotifier(environment: environment)
        let idleness = Task {
            await service.idleness()
            if !Task.isCancelled { request.yield() }
        }
        notifier.ready()
        let signs = signsOfLife(of: service, notifier)
        let statuses = Task {
            var told: ServiceStatus?
            for await status in service.statuses where status != told {
                notifier.status(status.text)
                told = status
            }
        }
        let sleeps = SleepWatch(environment: environment).map { watch in Task { await service.follow(watch) } }
        ReadinessPipe.report(nil, environment: environment)
        ProcessMemory.releaseCode()
        for await _ in requests { break }
        // Nothing is to be told behind it.
        statuses.cancel()
        await statuses.value
        notifier.stopping()
        withExtendedLifetime(watch) {}
        sleeps?.cancel()
        signs?.cancel()
        idleness.cancel()
        // A task of its own: this one may be cancelled, and what is left to do must not be.
        await Task {
            await service.end()
            await server.stop()
            // What a provider was asked for is waited for: its answer may be all that is left of a session.
            await service.retire()
        }.value
    }

    /// Signs of life for a watchdog, each after the session service has answered: one that hangs is restarted.
    private func signsOfLife(of service: AgentSessionService, _ notifier: ServiceNotifier) -> Task<Void, Never>? {
        guard let period = notifier.watchdog else { return nil }
        return Task { [time] in
            while !Task.isCancelled {
                _ = await service.seal()
                notifier.isAlive()
                guard (try? await time.sleep(until: time.bootTime + period)) != nil else { return }
            }
        }
    }

    /// Enough for every connection the server takes, and what the session service needs.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 8192)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
