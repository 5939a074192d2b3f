import AuthModel
import TestSupport
import Testing

@testable import Agent

/// The observers of the agent's events.
@Suite(.startsPrograms, .timeLimit(.minutes(10))) struct EventObserversTests {
    /// A client that goes away while an event is sent to it: removing its observer, under a lock of its task, must not wait for the sending,
    /// which may wait for that lock.
    @Test func observerEndsWhileAnEventIsSent() async {
        let observers = EventObservers()
        for _ in 0..<20_000 {
            let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
            let id = observers.add(continuation)
            continuation.onTermination = { _ in observers.remove(id) }
            let reader = Task { for await _ in stream {} }
            let sender = Task { for _ in 0..<3 { observers.announce(.sessionsChanged([])) } }
            await Task.yield()
            reader.cancel()
            await sender.value
            await reader.value
        }
        #expect(observers.isEmpty)
    }
}
