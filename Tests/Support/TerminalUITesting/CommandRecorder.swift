import Synchronization
public import TerminalUI

/// Keeps the commands it is given, and answers each with messages written down before.
public final class CommandRecorder<Command: Equatable & Sendable, Message: Equatable & Sendable>: CommandPerformer {
    private let recorded = Mutex<[Command]>([])
    private let answer: @Sendable (Command) -> [Message]

    public init(answer: @escaping @Sendable (Command) -> [Message] = { _ in [] }) { self.answer = answer }

    /// The commands so far; those that ran side by side in any order.
    public var commands: [Command] { recorded.withLock { $0 } }

    public func perform(_ command: Command, post: @escaping @Sendable (Message) -> Void) async {
        recorded.withLock { $0.append(command) }
        for message in answer(command) { post(message) }
    }
}
