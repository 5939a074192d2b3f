import NIOCore

/// Closes a connection when its time limit is over. Belongs to the event loop of the connection.
///
/// The limit changes twice per request, so the timer of an earlier limit keeps running and then waits for the rest.
final class ConnectionDeadline {
    private let channel: any Channel
    private var deadline: NIODeadline?
    private var timer: (end: NIODeadline, task: Scheduled<Void>)?

    init(_ channel: any Channel) { self.channel = channel }

    /// Sets the limit to a time from now.
    func set(_ time: TimeAmount) {
        let end = NIODeadline.now() + time
        deadline = end
        if let timer, timer.end <= end { return }
        start(end)
    }

    /// Removes the limit.
    func clear() { deadline = nil }

    /// Stops the timer, when the connection is closed.
    func cancel() {
        deadline = nil
        timer?.task.cancel()
        timer = nil
    }

    private func start(_ end: NIODeadline) {
        timer?.task.cancel()
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        timer = (end, channel.eventLoop.scheduleTask(deadline: end) { bound.value.fire() })
    }

    private func fire() {
        timer = nil
        guard let deadline else { return }
        guard NIODeadline.now() < deadline else { return channel.close(promise: nil) }
        start(deadline)
    }
}
