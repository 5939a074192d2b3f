import Synchronization
public import TerminalUI

/// Records the commands it performs, and answers each with predefined messages.
public final class CommandRecorder<Command: Equatable & Sendable, Message: Equatable & Sendable>: CommandPerformer {
    private let recorded = Mutex<[Command]>([])
    private let answer: @Sendable (Command) -> [Message]

    /// Creates a recorder. `answer` returns the messages for a command.
    public init(answer: @escaping @Sendable (Command) -> [Message] = { _ in [] }) { self.answer = answer }

    /// The commands so far; parallel commands are in any order.
    public var commands: [Command] { recorded.withLock { $0 } }

    /// Records the command and posts its messages.
    public func perform(_ command: Command, post: @escaping @Sendable (Message) -> Void) async {
        recorded.withLock { $0.append(command) }
        for message in answer(command) { post(message) }
    }
}
