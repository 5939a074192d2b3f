public import AuthModel
import Glibc
import System

/// The agent's run, from taking its lock to its end.
public struct AgentRun: Sendable {
    /// The location of the agent's socket.
    public var place: AgentLocation
    /// The agent's facts, for its status.
    public var facts: AgentFacts
    /// The environment of the process.
    public var environment: [String: String]
    /// The activity log.
    public var log: ActivityLog
    /// The clocks.
    public var time: any TimeSource
    /// Runs the launcher's commands; `nil` if the full program has to run them all.
    public var runCommand: LauncherCommand.Runner?

    /// Creates a run.
    public init(
        place: AgentLocation, facts: AgentFacts, environment: [String: String], log: ActivityLog, time: any TimeSource,
        runCommand: LauncherCommand.Runner? = nil
    ) {
        self.place = place
        self.facts = facts
        self.environment = environment
        self.log = log
        self.time = time
        self.runCommand = runCommand
    }

    /// Serves a session service until a caller stops the agent, the agent has been idle for its limit, the task is cancelled, or the socket
    /// is gone. Then shuts down in order.
    ///
    /// Reports to the starting command and to systemd when it is ready, or why it cannot serve.
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
        let seat = try await AgentLock.takeWhenFree(place, inherited: inherited, time: time)
        let (requests, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let service: AgentSessionService
        do throws(AuthFailure) {
            // Only the holder of the lock uses the store.
            service = try await makeService()
            try await service.start()
        } catch {
            seat.removeSocket()
            seat.leave()
            throw error
        }
        let server = try await AgentServer.start(seat, service: service, facts: facts, log: log, time: time, runCommand: runCommand) {
            request.yield()
        }
        // The agent also cannot be reached if another socket replaces its own, as systemd's socket does.
        let watch = inherited == nil ? SocketWatch(place) { if !seat.isReachable() { request.yield() } } : nil
        let notifier = ServiceNotifier(environment: environment)
        let waitUntilIdle = Task {
            await service.waitUntilIdle()
            if !Task.isCancelled { request.yield() }
        }
        notifier.ready()
        let signs = watchdogNotifications(of: service, notifier)
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
        // Send no status after the stopping notification.
        statuses.cancel()
        await statuses.value
        notifier.stopping()
        withExtendedLifetime(watch) {}
        sleeps?.cancel()
        signs?.cancel()
        waitUntilIdle.cancel()
        // A separate task, because this one may be cancelled, and the remaining steps must not be.
        await Task {
            await service.end()
            await server.stop()
            // Wait for running requests to providers: a session may depend on their responses.
            await service.retire()
        }.value
    }

    /// Sends watchdog notifications, each after the session service has answered, so that a service that hangs is restarted.
    private func watchdogNotifications(of service: AgentSessionService, _ notifier: ServiceNotifier) -> Task<Void, Never>? {
        guard let period = notifier.watchdog else { return nil }
        return Task { [time] in
            while !Task.isCancelled {
                _ = await service.seal()
                notifier.isAlive()
                guard (try? await time.sleep(until: time.bootTime + period)) != nil else { return }
            }
        }
    }

    /// Raises the limit of open files, so that it suffices for all connections and the session service.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 8192)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
