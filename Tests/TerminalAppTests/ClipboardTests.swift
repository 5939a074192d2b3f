import AuthModel
import Synchronization
import TerminalUI
import Testing

@testable import TerminalApp

/// A copied token does not stay on the clipboard.
struct ClipboardTests {
    /// A clock whose waits are over at once, or never were.
    private final class Waits: TimeSource {
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

    private func messages(_ waits: Waits, isOurs: Bool) async -> (posted: [Message], cleared: Int) {
        let posted = Mutex<[Message]>([])
        let cleared = Mutex(0)
        var environment = Outside().environment
        environment.time = waits
        environment.clearSecret = {
            cleared.withLock { $0 += 1 }
            return isOurs
        }
        let performer = EffectRunner(service: InMemorySessionService(), environment: environment)
        await performer.perform(.clearClipboard) { message in posted.withLock { $0.append(message) } }
        return (posted.withLock { $0 }, cleared.withLock { $0 })
    }

    @Test func aTokenIsClearedAfterFortyFiveSeconds() async {
        let waits = Waits()
        let (posted, cleared) = await messages(waits, isOurs: true)
        #expect(waits.asked.withLock { $0 } == [.seconds(52)])
        #expect(posted == [.clipboardCleared] && cleared == 1)
    }

    @Test func nothingIsSaidWhereSomethingElseWasCopied() async {
        let (posted, cleared) = await messages(Waits(), isOurs: false)
        #expect(posted == [] && cleared == 1)
    }

    @Test func aTimerThatIsReplacedClearsNothing() async {
        let (posted, cleared) = await messages(Waits(isCancelled: true), isOurs: true)
        #expect(posted == [] && cleared == 0)
    }

    /// Copying again starts the one timer again, and the app counts as idle meanwhile.
    @Test func thereIsOneTimer() throws {
        #expect(TerminalAppRoot.directive(for: .clearClipboard) == .subscribe(id: "clipboard"))
        var state = AppState(Sample.settings, now: Sample.now)
        let name = try #require(SessionName("work/ada"))
        #expect(TerminalAppRoot.update(&state, .tokenCopied(name, .copied(expiresAt: nil))) == [.clearClipboard])
        #expect(TerminalAppRoot.update(&state, .tokenCopied(name, .noClipboard)) == [])
    }
}
