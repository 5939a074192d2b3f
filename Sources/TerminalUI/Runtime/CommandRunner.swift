import Synchronization

/// Runs commands in tasks and counts them, so that a test can wait until no command runs.
public final class CommandRunner<Command: Equatable & Sendable, Message: Equatable & Sendable>: Sendable {
    private struct Work {
        var serial: UInt64 = 0
        /// The running tasks by serial number.
        var tasks: [UInt64: Task<Void, Never>] = [:]
        /// Tasks that ended before they were added to `tasks`.
        var early: Set<UInt64> = []
        var serials: [String: UInt64] = [:]
        var counted: Set<UInt64> = []
        var wake: (@Sendable () -> Void)?
    }

    private let performer: any CommandPerformer<Command, Message>
    private let mailbox: Mailbox<Message>
    private let work = Mutex(Work())

    /// Creates a runner that posts the performer's messages to `mailbox`.
    public init(performer: any CommandPerformer<Command, Message>, mailbox: Mailbox<Message>) {
        self.performer = performer
        self.mailbox = mailbox
    }

    /// The number of running commands, without subscriptions.
    public var running: Int { work.withLock { $0.counted.count } }

    /// Sets a function to call, on an arbitrary thread, whenever a counted command ends.
    public func onEnd(_ wake: (@Sendable () -> Void)?) { work.withLock { $0.wake = wake } }

    /// Starts a command. It is counted before its task begins.
    ///
    /// - Parameters:
    ///   - id: cancels the task that runs under the same id.
    ///   - isCounted: false for a subscription, which runs as long as the application.
    public func start(_ command: Command, id: String? = nil, isCounted: Bool = true) {
        let serial = work.withLock { work in
            work.serial += 1
            if isCounted { work.counted.insert(work.serial) }
            if let id, let former = work.serials.updateValue(work.serial, forKey: id) { work.tasks[former]?.cancel() }
            return work.serial
        }
        let task = Task { [performer, mailbox] in
            await performer.perform(command) { mailbox.post($0) }
            self.ended(serial, id: id)
        }
        work.withLock { work in
            if work.early.remove(serial) == nil { work.tasks[serial] = task }
        }
    }

    /// Cancels the task that runs under `id`.
    public func cancel(id: String) {
        work.withLock { work in work.serials[id].flatMap { work.tasks[$0] } }?.cancel()
    }

    /// Cancels every task.
    public func cancelAll() {
        for task in work.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    private func ended(_ serial: UInt64, id: String?) {
        let wake = work.withLock { work in
            if work.tasks.removeValue(forKey: serial) == nil { work.early.insert(serial) }
            if let id, work.serials[id] == serial { work.serials[id] = nil }
            return work.counted.remove(serial) == nil ? nil : work.wake
        }
        wake?()
    }
}

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
    public func drain() -> [Message] {
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
