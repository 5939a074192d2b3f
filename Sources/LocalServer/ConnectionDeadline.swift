package import NIOCore
package import NIOHTTP1

/// Closes a connection when its time limit is over. Belongs to the event loop of the connection.
///
/// The limit changes twice per request, so the timer of an earlier limit keeps running and then waits for the rest.
package final class ConnectionDeadline {
    private let channel: any Channel
    private var deadline: NIODeadline?
    private var timer: (end: NIODeadline, task: Scheduled<Void>)?

    /// Creates a deadline without a limit.
    package init(_ channel: any Channel) { self.channel = channel }

    /// Sets the limit to a time from now.
    package func set(_ time: TimeAmount) {
        let end = NIODeadline.now() + time
        deadline = end
        if let timer, timer.end <= end { return }
        start(end)
    }

    /// Removes the limit.
    package func clear() { deadline = nil }

    /// Stops the timer, when the connection is closed.
    package func cancel() {
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

/// Closes a connection whose client does not complete the header of its next request in time.
///
/// Bodies have no limit: an upload may wait for its source.
package final class HeaderDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart

    private let limit: TimeAmount
    private let deadline: ConnectionDeadline
    /// Whether the header of the next request is there, so that it needs no time.
    private var hasHead = false

    /// Creates the handler of a new connection.
    package init(_ limit: TimeAmount, _ channel: any Channel) {
        self.limit = limit
        deadline = ConnectionDeadline(channel)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        // On a connection that begins to speak HTTP later.
        if context.channel.isActive { deadline.set(limit) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        deadline.set(limit)
        context.fireChannelActive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            hasHead = true
            deadline.clear()
        }
        context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        hasHead = false
        // A client that reads slowly has its time once it has all of the response.
        let sent = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        sent.futureResult.whenSuccess {
            let handler = bound.value
            if !handler.hasHead { handler.deadline.set(handler.limit) }
        }
        context.write(data, promise: sent)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        hasHead = true
        deadline.cancel()
    }
}
