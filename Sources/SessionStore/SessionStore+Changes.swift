extension SessionStore {
    /// Tells that the store may have changed, by this or another process; several changes at once are told as one.
    ///
    /// The journal is removed when a transaction is committed, so each element comes after its change can be read. Nothing is polled.
    /// A store in memory, and a system without watches to spare, tell nothing: the stream ends. So it does when the store's folder was
    /// taken away, after that was told.
    public func changes() -> AsyncStream<Void> {
        guard let directory else { return AsyncStream { $0.finish() } }
        return DirectoryWatch(appearing: [Self.fileName], disappearing: [Self.fileName, "\(Self.fileName)-journal"]).changes(in: directory)
    }
}
