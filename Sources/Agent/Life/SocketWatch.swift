import Dispatch
import Glibc

/// Tells when something happens to the agent's socket, by inotify: a runtime folder that is taken away leaves an agent that nobody can reach.
final class SocketWatch: Sendable {
    // A dispatch source may be cancelled and let go of from any thread, as its documentation says; the type does not say it.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Watches the folder of a place; `nil` where the system has no watch to give.
    init?(_ place: AgentPlace, changed: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        let mask =
            UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_DELETE_SELF)
            | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
        guard inotify_add_watch(descriptor, place.folder, mask) >= 0 else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while read(descriptor, &buffer, buffer.count) > 0 {}
            changed()
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }
}
