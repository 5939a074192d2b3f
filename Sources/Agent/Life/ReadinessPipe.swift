import AuthModel
import Glibc

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
