import OperatingSystem

/// Reports changes of the agent's socket: without its runtime folder, the agent runs on and no client can connect.
final class SocketWatch: Sendable {
    private let events: FolderEvents

    /// Watches the folder of a location; `nil` if the system provides no watch.
    init?(_ place: AgentLocation, changed: @escaping @Sendable () -> Void) {
        guard let events = FolderEvents({ _ in changed() }),
            events.watch(place.folder, for: [.left, .appeared, .folderDeleted, .folderMoved])
        else { return nil }
        self.events = events
    }

    deinit { events.stop() }
}
