/// Does what commands say: the only asynchronous part of an application.
public protocol CommandPerformer<Command, Message>: Sendable {
    associatedtype Command: Equatable & Sendable
    associatedtype Message: Equatable & Sendable

    /// Does one thing to its end, posting what happens on the way. It runs in a task that is cancelled when the application ends or
    /// asks for it; what it posts after that is still delivered, so the state must be able to ignore it.
    func perform(_ command: Command, post: @escaping @Sendable (Message) -> Void) async
}
