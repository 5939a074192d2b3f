import Synchronization

/// Messages on their way to the loop. Any thread may post.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct Box {
        var messages: [Message] = []
        var wake: (@Sendable () -> Void)?
    }

    private let box = Mutex(Box())

    public init() {}

    /// Adds a message. The loop is woken only when there was none: it takes them all together.
    public func post(_ message: Message) {
        let wake = box.withLock { box in
            box.messages.append(message)
            return box.messages.count == 1 ? box.wake : nil
        }
        wake?()
    }

    /// All messages in the order they came; the mailbox is empty afterwards.
    public func take() -> [Message] {
        box.withLock { box in
            defer { box.messages = [] }
            return box.messages
        }
    }

    public var isEmpty: Bool { box.withLock { $0.messages.isEmpty } }

    /// Says how to wake the loop; wakes it at once when there are messages already. Nil disconnects.
    public func connect(_ wake: (@Sendable () -> Void)?) {
        let isWaiting = box.withLock { box in
            box.wake = wake
            return !box.messages.isEmpty
        }
        if isWaiting { wake?() }
    }
}
