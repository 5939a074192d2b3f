import AuthModel
import Synchronization
import TerminalUI
import Testing

@testable import TerminalApp

/// A copied token is cleared from the clipboard.
struct ClipboardTests {
    /// A clock whose sleeps end at once, or are cancelled.
    private final class RecordingTimeSource: TimeSource {
        let asked = Mutex<[Duration]>([])
        let isCancelled: Bool

        init(isCancelled: Bool = false) { self.isCancelled = isCancelled }

        var now: Timestamp { Sample.now }
        var bootTime: Duration { .seconds(7) }

        func sleep(until deadline: Duration) async throws {
            asked.withLock { $0.append(deadline) }
            if isCancelled { throw CancellationError() }
        }
    }

    private func messages(_ waits: RecordingTimeSource, isOurs: Bool) async -> (posted: [Message], cleared: Int) {
        let posted = Mutex<[Message]>([])
        let cleared = Mutex(0)
        var environment = RecordingEnvironment().environment
        environment.time = waits
        environment.clearSecret = {
            cleared.withLock { $0 += 1 }
            return isOurs
        }
        let performer = EffectRunner(service: InMemorySessionService(), environment: environment)
        await performer.perform(.clearClipboard) { message in posted.withLock { $0.append(message) } }
        return (posted.withLock { $0 }, cleared.withLock { $0 })
    }

    @Test func tokenIsClearedAfterFortyFiveSeconds() async {
        let waits = RecordingTimeSource()
        let (posted, cleared) = await messages(waits, isOurs: true)
        #expect(waits.asked.withLock { $0 } == [.seconds(52)])
        #expect(posted == [.clipboardCleared] && cleared == 1)
    }

    @Test func noNoticeIfSomethingElseWasCopied() async {
        let (posted, cleared) = await messages(RecordingTimeSource(), isOurs: false)
        #expect(posted == [] && cleared == 1)
    }

    @Test func replacedTimerClearsNothing() async {
        let (posted, cleared) = await messages(RecordingTimeSource(isCancelled: true), isOurs: true)
        #expect(posted == [] && cleared == 0)
    }

    /// Copying again restarts the one timer, and the app counts as idle meanwhile.
    @Test func copyingStartsOnlyOneTimer() throws {
        #expect(TerminalAppRoot.directive(for: .clearClipboard) == .subscribe(id: "clipboard"))
        var state = AppState(Sample.settings, now: Sample.now)
        let name = try #require(SessionName("work/ada"))
        #expect(TerminalAppRoot.update(&state, .tokenCopied(name, .copied(expiresAt: nil))) == [.clearClipboard])
        #expect(TerminalAppRoot.update(&state, .tokenCopied(name, .noClipboard)) == [])
    }
}
