/// An instruction to the runtime about a command.
public enum Directive: Hashable, Sendable {
    /// Performs the command in a new task. A command with an `id` cancels the task that runs under the same id.
    case perform(id: String?)
    /// Performs the command like ``perform(id:)``, but as a subscription that lasts as long as the application, such as a watch: it does
    /// not count as running.
    case subscribe(id: String)
    /// Cancels the task that runs under this id.
    case cancel(id: String)
    /// Stops the process, as Ctrl-Z does in a shell.
    case suspend
    /// Ends the loop.
    case quit
}
