public import AuthModel
import Glibc
import OperatingSystem

/// The agent's run, from taking its lock to its end.
public struct AgentRun: Sendable {
    /// The location of the agent's socket.
    public var location: AgentLocation
    /// The agent's facts, for its status.
    public var facts: AgentFacts
    /// The environment of the process.
    public var environment: [String: String]
    /// The activity log.
    public var log: ActivityLog
    /// The clocks.
    public var time: any TimeSource
    /// Runs the launcher's commands; `nil` if the full program has to run them all.
    package var runCommand: LauncherCommand.Runner?
    /// The sessions that the restricted socket offers; `nil` for no such socket.
    public var forwarded: ForwardedSessions?
    /// Other work of the agent, from its start to its end, such as updating token files.
    public var backgroundWork: (@Sendable (AgentSessionService) async -> Void)?
    /// Called after the background work has ended, unless an update continues the agent.
    public var stopped: @Sendable () -> Void = {}
    /// Whether oidc-agent's clients are served; `nil` for never.
    public var oidcAgent: OIDCAgentSetting?
    /// Called with a failure that does not end the agent, for its log.
    public var warn: @Sendable (AuthFailure) -> Void = { _ in }
    /// The program file, so that the agent continues with its update; `nil` if it never does.
    public var program: AgentProgram?

    /// The reason why the agent ends.
    private enum Ending {
        /// A caller stopped it, it was idle for its limit, or no client can connect.
        case stopped
        /// An update replaced its program file.
        case updated
    }

    package init(
        location: AgentLocation, facts: AgentFacts, environment: [String: String], log: ActivityLog, time: any TimeSource,
        runCommand: LauncherCommand.Runner? = nil, program: AgentProgram? = nil
    ) {
        self.location = location
        self.facts = facts
        self.environment = environment
        self.log = log
        self.time = time
        self.runCommand = runCommand
        self.program = program
    }

    /// Serves a session service until a caller stops the agent, the agent has been idle for its limit, the task is cancelled, or the socket
    /// is gone. Then shuts down in order.
    ///
    /// After an update of its program, it continues with the new program at its next idle moment, in the same process and on the same
    /// socket, so that no client notices. Does not return then.
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
        let lock =
            if let handover = AgentHandover(environment: environment, location: location) {
                AgentLock(continuing: handover, at: location)
            } else {
                try await AgentLock.acquireWhenFree(location, inherited: inherited, time: time)
            }
        let (endings, ending) = AsyncStream.makeStream(of: Ending.self, bufferingPolicy: .bufferingOldest(1))
        let service: AgentSessionService
        do throws(AuthFailure) {
            // Only the holder of the lock uses the store.
            service = try await makeService()
            try await service.start()
        } catch {
            lock.removeSocket()
            lock.release()
            throw error
        }
        let server = try await AgentServer.start(lock, service: service, facts: facts, log: log, time: time, runCommand: runCommand) {
            ending.yield(.stopped)
        }
        // The agent also cannot be reached if another socket replaces its own, as systemd's socket does.
        let watch = lock.ownsSocket ? SocketWatch(location) { if !lock.isReachable() { ending.yield(.stopped) } } : nil
        let notifier = ServiceNotifier(environment: environment)
        let waitUntilIdle = Task {
            await service.waitUntilIdle()
            if !Task.isCancelled { ending.yield(.stopped) }
        }
        let update = program.map { program in
            Task {
                if await isUpdated(program, whenIdle: { server.isBusy ? false : await service.canBeReplaced() }) { ending.yield(.updated) }
            }
        }
        notifier.ready()
        let watchdog = watchdogNotifications(of: service, notifier)
        let statuses = Task {
            var lastStatus: ServiceStatus?
            for await status in service.statuses where status != lastStatus {
                notifier.status(status.text)
                lastStatus = status
            }
        }
        let forwarding = forwarded.map { sessions in
            Task { [socket = forwardedSocket(of: service, sessions)] in await socket.follow(sessions) }
        }
        let backgroundWork = backgroundWork.map { run in Task { await run(service) } }
        let oidcAgentSocket = oidcAgent.map { setting in
            Task { [socket = OIDCAgentSocket(at: location, service: OIDCAgentService(service: wholeService(service)), warn: warn)] in
                await socket.follow(setting)
            }
        }
        let sleeps = SleepWatch(environment: environment).map { watch in Task { await service.follow(watch) } }
        ReadinessPipe.report(nil, environment: environment)
        ProcessMemory.releaseCode()
        let reason = await endings.first { _ in true } ?? .stopped
        // Send no status after the stopping notification.
        statuses.cancel()
        await statuses.value
        if reason == .stopped { notifier.stopping() }
        withExtendedLifetime(watch) {}
        sleeps?.cancel()
        backgroundWork?.cancel()
        forwarding?.cancel()
        await forwarding?.value
        oidcAgentSocket?.cancel()
        await oidcAgentSocket?.value
        watchdog?.cancel()
        waitUntilIdle.cancel()
        update?.cancel()
        // A separate task, because this one may be cancelled, and the remaining steps must not be.
        await Task { [stopped] in
            await service.end()
            if reason == .stopped { await server.stop() } else { await server.closeConnections() }
            // Wait for running requests to providers: a session may depend on their responses.
            await service.shutDown()
            await backgroundWork?.value
            if reason == .stopped { stopped() }
        }.value
        if reason == .updated, let program { try continueWith(program, lock) }
    }

    /// Waits for an update of the program and an idle moment after it. Returns false when the task is cancelled.
    private func isUpdated(_ program: AgentProgram, whenIdle: () async -> Bool) async -> Bool {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let events = program.watch { change.yield() }
        defer { withExtendedLifetime(events) {} }
        // An update before the watch began.
        change.yield()
        for await _ in changes {
            var seen: AgentProgram.Identity?
            while let replacement = program.replacement {
                // Not a file that is still being written.
                if replacement == seen, await whenIdle() { return true }
                seen = replacement
                guard (try? await time.sleep(until: time.bootTime + Self.updateInterval)) != nil else { return false }
            }
        }
        return false
    }

    /// The time between two checks for an idle moment, once there is an update.
    private static let updateInterval = Duration.seconds(2)

    /// Continues with the updated program in this process. Throws if that fails; then the next command starts an agent.
    private func continueWith(_ program: AgentProgram, _ lock: AgentLock) throws(AuthFailure) {
        var variables = environment
        // What this process got at its start is closed by now.
        for name in SocketActivation.socketVariables + [ReadinessPipe.variable] { variables[name] = nil }
        variables[AgentHandover.variable] = lock.handOver()?.text
        let failure = program.replaceProcess(environment: variables)
        lock.removeSocket()
        lock.release()
        throw AuthFailure(.configuration, UserMessage("agent.cannot_start", ["detail": failure.text]), hint: "hint.use_no_agent")
    }

    private func forwardedSocket(of service: AgentSessionService, _ sessions: ForwardedSessions) -> ForwardedSocket {
        ForwardedSocket(
            at: location,
            service: ForwardedService(service: wholeService(service), forwarded: sessions, owner: { MachineName.ofUser() }))
    }

    /// Returns a service for the other sockets, which never stop the agent.
    private func wholeService(_ service: AgentSessionService) -> AgentService {
        AgentService(service: service, facts: facts, log: log, time: time, stop: {})
    }

    /// Sends watchdog notifications, each after the session service has answered, so that a service that hangs is restarted.
    private func watchdogNotifications(of service: AgentSessionService, _ notifier: ServiceNotifier) -> Task<Void, Never>? {
        guard let period = notifier.watchdog else { return nil }
        return Task { [time] in
            while !Task.isCancelled {
                _ = try? await service.storeState()
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
