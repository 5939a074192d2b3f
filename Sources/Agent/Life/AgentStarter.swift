public import AuthModel
import Glibc
import LocalServer
import OperatingSystem

/// Starts an agent and waits until it serves.
public struct AgentStarter: Sendable {
    let program: String
    let arguments: [String]
    let environment: [String: String]
    let location: AgentLocation

    /// Maximum time from the start of an agent until it serves.
    static let limit = Duration.seconds(15)

    /// Creates a starter.
    ///
    /// - Parameters:
    ///   - program: the path of `yett-main`.
    ///   - configuration: the file of `--config`; `nil` if it was not given.
    ///   - logs: whether the agent logs its network requests.
    ///   - environment: the command's environment; only the variables that an agent needs are passed on.
    ///   - location: the location of the agent's socket.
    public init(program: String, configuration: String? = nil, logs: Bool = false, environment: [String: String], location: AgentLocation) {
        self.program = program
        arguments = (configuration.map { ["--config", $0] } ?? []) + (logs ? ["--log"] : []) + ["agent", "run"]
        self.environment = Self.agentVariables(environment)
        self.location = location
    }

    /// Starts an agent, unless one is running. Several callers at once start one.
    public func start() async throws(AuthFailure) {
        let starter = self
        try await DetachedThread.run(stackSize: 256 << 10) { starter.startHere() }.get()
    }

    private func startHere() -> Result<Void, AuthFailure> {
        do throws(AuthFailure) {
            try location.prepare()
            let turn = try AgentLock.openLock(location.startLock)
            defer { FileLock.close(turn) }
            // The holder of this lock is starting an agent and finishes within the limit, unless it was stopped.
            let end = ContinuousClock.now + Self.limit + .seconds(1)
            while !FileLock.take(turn) {
                guard errno == EINTR || errno == EWOULDBLOCK else {
                    throw AuthFailure(
                        .configuration, UserMessage("agent.cannot_lock", ["path": location.startLock, "detail": SystemError.last.text]),
                        hint: "hint.use_no_agent")
                }
                guard .now < end else {
                    throw AuthFailure(.timedOut, "agent.start_by_other_unfinished", hint: "hint.try_again")
                }
                poll(nil, 0, 10)
            }
            if location.isServed() { return .success(()) }
            try launch()
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func launch() throws(AuthFailure) {
        let child: Result<ChildProcess, SystemError>
        let pipe: Pipe
        do throws(SystemError) {
            pipe = try Pipe()
        } catch {
            throw AuthFailure(.configuration, UserMessage("agent.cannot_start", ["detail": error.text]), hint: "hint.use_no_agent")
        }
        defer { close(pipe.readEnd) }
        do throws(SystemError) {
            let streams = ChildProcess.Streams(passed: pipe.writeEnd)
            child = .success(try ChildProcess.start(program, arguments, environment: environment, streams: streams))
        } catch {
            child = .failure(error)
        }
        close(pipe.writeEnd)
        switch child {
        case .failure(let error):
            throw AuthFailure(.configuration, UserMessage("agent.cannot_start", ["detail": error.text]), hint: "hint.use_no_agent")
        // The agent usually outlives this process.
        case .success(let child): child.reapInBackground()
        }
        do throws(AuthFailure) {
            try ReadinessPipe.wait(pipe.readEnd, limit: Self.limit)
        } catch {
            // Another agent, started by hand or by systemd, was faster. Use it.
            guard AgentLock.isAlreadyRunning(error) else { throw error }
        }
    }

    /// The prefix for the former value of a variable that `yett exec --intercept` replaces for its command; the value is empty if there was
    /// none. An agent that is started in the command outlives it, with its proxy and its file of certificates.
    package static let replacedPrefix = "YETT_REPLACED_"

    /// Returns an environment with the former values of the variables that `yett exec --intercept` has replaced.
    package static func withoutInterception(_ environment: [String: String]) -> [String: String] {
        var former = environment
        for (name, value) in environment where name.hasPrefix(replacedPrefix) {
            former[String(name.dropFirst(replacedPrefix.count))] = value.isEmpty ? nil : value
        }
        return former
    }

    /// Returns the variables that an agent may see: paths, access to the desktop and the network, and the language. The command that
    /// happens to start the agent decides nothing else about what the agent's programs load or trust.
    static func agentVariables(_ environment: [String: String]) -> [String: String] {
        let names: Set = [
            "HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS",
            "DBUS_SYSTEM_BUS_ADDRESS", "DISPLAY",
            "WAYLAND_DISPLAY", "GNUPGHOME", "PASSWORD_STORE_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "YETT_CONFIG",
        ]
        let proxies: Set = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
        var kept = withoutInterception(environment).filter { name, _ in
            names.contains(name) || name.hasPrefix("XDG_") || name.hasPrefix("LC_") || proxies.contains(name.lowercased())
        }
        kept[ReadinessPipe.variable] = "3"
        // A crash report would contain memory.
        kept["SWIFT_BACKTRACE"] = "enable=no"
        return kept
    }
}

extension AgentLocation {
    /// Returns whether a process listens on the socket, even if its queue is full.
    func isServed() -> Bool {
        switch connectWaiting() {
        case .success(let descriptor):
            close(descriptor)
            return true
        case .failure(let error): return error.number == EAGAIN
        }
    }

    /// Connects and waits up to five seconds for room in the socket's queue; fails with `EAGAIN` if there is none.
    func connectWaiting() -> Result<Int32, SystemError> {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .failure(SystemError.last) }
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        guard let address = UnixSocketAddress(socket),
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0,
            address.withPointer({ connect(descriptor, $0, $1) }) == 0
        else {
            defer { close(descriptor) }
            return .failure(SystemError.last)
        }
        return .success(descriptor)
    }
}

/// The pipe on which an agent reports to the command that started it: that it serves, or why it cannot.
enum ReadinessPipe {
    /// The variable with the descriptor's number.
    static let variable = "YETT_READY_FD"

    /// Sends the report, if this process was started with a pipe, and closes the pipe.
    static func report(_ failure: AuthFailure?, environment: [String: String]) {
        guard environment[variable] == "3" else { return }
        let document: JSONValue = failure.map { .members(("error", $0.wire)) } ?? .members(("ready", true))
        let line = Array((document.text + "\n").utf8)
        _ = write(3, line, line.count)
        close(3)
    }

    /// Waits for the report. Throws the agent's failure, or a failure if there is no report within the limit.
    static func wait(_ descriptor: Int32, limit: Duration) throws(AuthFailure) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let deadline = ContinuousClock.now + limit
        while !bytes.contains(UInt8(ascii: "\n")) {
            let left = (deadline - .now).wholeMilliseconds
            guard left > 0, bytes.count < 65_536 else {
                throw AuthFailure(.timedOut, "agent.accepts_no_connections", hint: "hint.run_agent_to_see_why")
            }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, Int32(min(left, 60_000))) > 0 else { continue }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw AuthFailure(
                    .configuration, "agent.stopped_before_accepting", hint: "hint.run_agent_to_see_why")
            }
            bytes += buffer[..<count]
        }
        guard let document = try? JSONValue(strict: bytes), let error = document["error"] else { return }
        throw (try? AuthFailure(wire: error)) ?? AgentConnection.invalidAnswer
    }
}
