import Synchronization

/// A queue of messages for the loop. Any thread may post.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct Box {
        var messages: [Message] = []
        var wake: (@Sendable () -> Void)?
    }

    private let box = Mutex(Box())

    /// Creates an empty mailbox.
    public init() {}

    /// Adds a message. It wakes the loop only if the queue was empty, because the loop takes all messages together.
    public func post(_ message: Message) {
        let wake = box.withLock { box in
            box.messages.append(message)
            return box.messages.count == 1 ? box.wake : nil
        }
        wake?()
    }

    /// Returns all messages in order, and empties the mailbox.
    public func take() -> [Message] {
        box.withLock { box in
            defer { box.messages = [] }
            return box.messages
        }
    }

    /// Whether no message is waiting.
    public var isEmpty: Bool { box.withLock { $0.messages.isEmpty } }

    /// Sets the function that wakes the loop, and calls it at once if messages are waiting. Nil disconnects.
    public func connect(_ wake: (@Sendable () -> Void)?) {
        let isWaiting = box.withLock { box in
            box.wake = wake
            return !box.messages.isEmpty
        }
        if isWaiting { wake?() }
    }
}
