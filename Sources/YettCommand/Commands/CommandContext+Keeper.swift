internal import AuthEngine
internal import AuthModel
internal import SessionStore

extension CommandContext {
    /// A keeper in this process, on the person's store.
    ///
    /// - Parameter creating: whether a store is made where there is none; otherwise nothing is touched, and there are no sessions.
    func keeper(creating: Bool = false) async throws(AuthFailure) -> any Keeper {
        let configuration = try configurationFile().read()
        // A cache that cannot be made is done without.
        if creating, let cache = try? directories.cache { try? PrivateFile.makeDirectory(cache) }
        return try await keeper(configuration, store: store(configuration.seal, creating: creating))
    }

    /// The same with its store unlocked: with the passphrase from `YETT_PASSPHRASE_FILE`, or from the person.
    func unlockedKeeper() async throws(AuthFailure) -> any Keeper {
        let keeper = try await keeper(creating: true)
        try await PassphrasePrompt(context: self).unlock(keeper)
        return keeper
    }

    func keeper(_ configuration: Configuration, store: SessionStore) -> any Keeper {
        Engine(
            providers: configuration.providers, store: store,
            environment: EngineEnvironment(
                transport: edges.transport, time: edges.time, cacheDirectory: try? directories.cache, commandEnvironment: edges.environment,
                surroundings: SessionSurroundings(environment: edges.environment)))
    }

    private func store(_ seal: Configuration.Seal, creating: Bool) async throws(AuthFailure) -> SessionStore {
        let directory = try directories.data
        let isThere = FileStatus.exists("\(directory)/\(SessionStore.fileName)")
        let source: KeySource = creating || isThere ? await keySource(seal, in: directory, isNew: !isThere) : .memory
        do {
            return try await SessionStore.open(directory: directory, source: source, time: edges.time)
        } catch {
            throw error.failure
        }
    }
}
