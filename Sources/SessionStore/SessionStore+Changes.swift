extension SessionStore {
    /// Returns a stream that reports possible changes of the store by this or another process; several changes at once are reported as one.
    ///
    /// A commit removes the journal, so each element arrives when its change is readable. Nothing is polled. The stream finishes at once
    /// for a store in memory and if the system provides no watch, and after the change that removed the store's folder.
    public func changes() -> AsyncStream<Void> {
        guard let directory else { return AsyncStream { $0.finish() } }
        return DirectoryWatch(appearing: [Self.fileName], disappearing: [Self.fileName, "\(Self.fileName)-journal"]).changes(in: directory)
    }
}
