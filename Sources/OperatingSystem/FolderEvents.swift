import Dispatch
import Glibc

/// Reports changes in folders through inotify, without polling.
public final class FolderEvents: Sendable {
    /// A change of a name in a watched folder, or of the folder itself.
    public struct Event: Sendable {
        /// The name in the folder; empty if the event is about the folder itself.
        public let name: String
        /// The kinds of change.
        public let kinds: Kinds
        /// Whether the name is, or was, a folder.
        public let isFolder: Bool
    }

    /// Kinds of change, as a set.
    public struct Kinds: OptionSet, Sendable {
        /// The inotify event mask.
        public let rawValue: UInt32
        /// Creates a set from an inotify event mask.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A file or folder was created in the folder, or moved into it.
        public static let appeared = Kinds(rawValue: UInt32(IN_CREATE) | UInt32(IN_MOVED_TO))
        /// A file was moved into the folder, or closed after being open for writing.
        public static let written = Kinds(rawValue: UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO))
        /// A file was moved into the folder, such as a new version of a file that is written elsewhere first.
        public static let movedIn = Kinds(rawValue: UInt32(IN_MOVED_TO))
        /// A file or folder was deleted, or moved out of the folder.
        public static let left = Kinds(rawValue: UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM))
        /// The folder was deleted.
        public static let folderDeleted = Kinds(rawValue: UInt32(IN_DELETE_SELF))
        /// The folder was moved.
        public static let folderMoved = Kinds(rawValue: UInt32(IN_MOVE_SELF))
        /// The system dropped events. Always reported.
        public static let overflowed = Kinds(rawValue: UInt32(IN_Q_OVERFLOW))
    }

    private let descriptor: Int32
    // A dispatch source may be cancelled and released from any thread, as its documentation says, but its type is not Sendable.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Starts reporting to `handler`, on a system queue. Each call receives all pending events. Returns `nil` if the system cannot create
    /// an inotify instance.
    public init?(_ handler: @escaping @Sendable ([Event]) -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
        source.setEventHandler { handler(Self.waiting(in: descriptor)) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Stops reporting. No call of the handler starts afterwards.
    public func stop() { source.cancel() }

    /// Watches a folder for these events. For a folder that is already watched, the events are added.
    ///
    /// - Returns: false if the folder does not exist or cannot be watched.
    @discardableResult
    public func watch(_ folder: String, for kinds: Kinds) -> Bool {
        inotify_add_watch(descriptor, folder, kinds.rawValue | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)) >= 0
    }

    private static func waiting(in descriptor: Int32) -> [Event] {
        var events: [Event] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return events }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                let head = MemoryLayout<inotify_event>.size
                while offset + head <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let end = offset + head + Int(event.len)
                    let name = String(decoding: bytes[offset + head..<min(end, count)].prefix { $0 != 0 }, as: UTF8.self)
                    let isFolder = event.mask & UInt32(IN_ISDIR) != 0
                    events.append(Event(name: name, kinds: Kinds(rawValue: event.mask & ~UInt32(IN_ISDIR)), isFolder: isFolder))
                    offset = end
                }
            }
        }
    }
}

extension FolderEvents.Kinds {
    /// Returns whether the sets have a common element.
    public func intersects(_ other: Self) -> Bool { !isDisjoint(with: other) }
}
