import AuthModel
import Sandbox
import TestSupport
import Testing

/// Runs of the command on test clocks, so that a slow machine changes no result.
extension CommandWorld {
    /// Returns a clock that skips waits of at most a second, such as the one before a device code is requested. Otherwise it stands still,
    /// so no deadline passes until a test advances `clock`.
    static func secondSkippingTime(over clock: ManualTime = ManualTime(now: CivilShiftedTime().now)) -> HastyTime {
        HastyTime(over: clock, limit: .seconds(1))
    }

    /// Runs a command that waits for the browser. Its clock stands still until `browse` has returned, and is then `limit` later.
    func run(
        _ arguments: [String], untilDeadlineAfter limit: Duration, browse: @escaping @Sendable (WebURL) async -> Void
    ) async -> CommandResult {
        let time = ManualTime(now: self.time.now)
        let browser = Browser.does { url in
            await browse(url)
            time.advance(by: limit)
        }
        return await run(arguments, browser: browser, time: time)
    }

    /// Runs a command whose server falls silent. Its clock stands still until the server has received a request to `path`, and is then
    /// `limit` later.
    func run(
        _ arguments: [String], untilDeadlineAfter limit: Duration, from path: String, among requests: AsyncStream<LoggedRequest>
    ) async -> CommandResult {
        let time = ManualTime(now: self.time.now)
        let waiting = Task {
            for await request in requests where request.path == path { break }
            time.advance(by: limit)
        }
        let result = await run(arguments, time: time)
        waiting.cancel()
        return result
    }
}
