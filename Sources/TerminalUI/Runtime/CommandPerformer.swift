/// Performs commands: the only asynchronous part of an application.
public protocol CommandPerformer<Command, Message>: Sendable {
    /// The application's commands.
    associatedtype Command: Equatable & Sendable
    /// The application's messages.
    associatedtype Message: Equatable & Sendable

    /// Performs one command to its end, and posts messages on the way. It runs in a task that is cancelled when the application ends or
    /// asks for it. Messages posted after that are still delivered, so the state must be able to ignore them.
    func perform(_ command: Command, post: @escaping @Sendable (Message) -> Void) async
}
