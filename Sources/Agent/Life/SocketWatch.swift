import System

/// Tells when something happens to the agent's socket: a runtime folder that is taken away leaves an agent that nobody can reach.
final class SocketWatch: Sendable {
    private let events: FolderEvents

    /// Watches the folder of a place; `nil` where the system has no watch to give.
    init?(_ place: AgentPlace, changed: @escaping @Sendable () -> Void) {
        guard let events = FolderEvents({ _ in changed() }),
            events.watch(place.folder, for: [.left, .appeared, .folderDeleted, .folderMoved])
        else { return nil }
        self.events = events
    }

    deinit { events.stop() }
}
