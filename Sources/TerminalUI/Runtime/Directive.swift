/// What the runtime does with a command.
public enum Directive: Hashable, Sendable {
    /// Performs it in a task of its own. A command with an `id` ends the one that runs under the same id.
    case perform(id: String?)
    /// Performs it like ``perform(id:)``, but as something that goes on for as long as the application runs, such as watching:
    /// the application counts as idle meanwhile.
    case subscribe(id: String)
    /// Cancels the task that runs under this id.
    case cancel(id: String)
    /// Stops the program as Ctrl-Z does elsewhere.
    case suspend
    /// Ends the loop.
    case quit
}
