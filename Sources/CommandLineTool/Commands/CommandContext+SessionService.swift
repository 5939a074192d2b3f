internal import Agent
internal import AuthEngine
internal import AuthModel
internal import SessionStore

extension CommandContext {
    /// The agent's session service, or one in this process on the person's store.
    ///
    /// - Parameter creating: whether an agent is started, and a store made, where there is none; otherwise nothing is touched, and there
    ///   are no sessions.
    /// - Parameter reports: whether a warning says what of the agent's answers could not be read. Not while the screen is the app's.
    func service(creating: Bool = false, reports: Bool = true) async throws(AuthFailure) -> any SessionService {
        let absence: SessionServiceChoice.Absence = creating ? agentStarter().map { .start($0) } ?? .leave : .leave
        let choice = await SessionServiceChoice.choose(
            environment: edges.environment, forbidsAgent: options.forbidsAgent, home: try agentHome(), absence: absence,
            report: { [console] in if reports { console.warning($0) } })
        switch choice {
        case .agent(let client, let status):
            // What the program before this one did not know, its agent does not do.
            if status.facts.version != Program.version {
                console.warning("the agent is yett \(status.facts.version), and this is yett \(Program.version)")
                console.hint("end it with: yett agent stop; the next command starts the new one")
            }
            // A log without what the agent asks of the network says nothing of what most people look for in it.
            if isLogging, !status.facts.logs {
                console.warning("the agent asks the network in this command's place, and was started without a log")
                console.hint("end it with: yett agent stop, and call this again; or add --no-agent")
            }
            return client
        case .inProcess(let reason):
            if let reason { console.warning("working without an agent: \(reason.summary)") }
            return try await ownKeeper(creating: creating)
        }
    }

    private func ownKeeper(creating: Bool) async throws(AuthFailure) -> any SessionService {
        let configuration = try configurationFile().read()
        if creating, let cache = try? directories.cache { _ = isUsable(cache, for: "providers are asked for their metadata each time") }
        let store = try await store(configuration.seal, creating: creating)
        return service(configuration, store: store, recorder: creating ? activityLog() : nil)
    }

    /// An engine in this process on the store there is, unlocked as far as that needs no user; `nil` where the store is locked or cannot be
    /// read.
    func readingEngine(_ configuration: Configuration) async -> Engine? {
        guard let store = try? await store(configuration.seal, creating: false) else { return nil }
        let engine = service(configuration, store: store)
        do throws(AuthFailure) {
            try await engine.unlockIfNoPassphraseNeeded()
            try await PassphrasePrompt(context: self).unlockFromFile(engine)
        } catch {
            return nil
        }
        return await engine.seal() == .unlocked ? engine : nil
    }

    /// Makes a private folder that can be done without; `false`, after a warning, where there can be none or it is open to others.
    func isUsable(_ folder: String, for consequence: String) -> Bool {
        do throws(AuthFailure) {
            try PrivateFile.makeDirectory(folder, isPrivate: true)
            return true
        } catch {
            console.warning("\(consequence): \(error.summary)")
            if let hint = error.hint { console.hint(hint) }
            return false
        }
    }

    /// The same with its store unlocked: with the passphrase from `YETT_PASSPHRASE_FILE`, or from the person.
    ///
    /// - Parameter forNewSession: whether something is to be sealed. Otherwise nobody is asked for the passphrase of a store that there is
    ///   not.
    func unlockedService(forNewSession: Bool = false) async throws(AuthFailure) -> any SessionService {
        let service = try await service(creating: true)
        if !forNewSession, try await service.seal() == .locked(isNew: true) { return service }
        try await PassphrasePrompt(context: self).unlock(service)
        return service
    }

    /// - Parameters:
    ///   - recorder: where what happens is written down; `nil` in the agent, which knows better who asked.
    ///   - patience: how long whoever has a token that still works waits for a better one; `nil` in a process that ends with its answer.
    func service(
        _ configuration: Configuration, store: SessionStore, recorder: (any ActivityRecorder)? = nil, patience: Duration? = nil
    ) -> Engine {
        Engine(
            providers: configuration.providers, store: store,
            environment: EngineEnvironment(
                transport: edges.transport, time: edges.time, cacheDirectory: try? directories.cache, commandEnvironment: edges.environment,
                surroundings: SignInEnvironment(environment: edges.environment), recorder: recorder, patience: patience))
    }

    func store(_ seal: Configuration.Seal, creating: Bool) async throws(AuthFailure) -> SessionStore {
        let directory = try directories.data
        let isThere = FileStatus.exists("\(directory)/\(SessionStore.fileName)")
        let source: KeySource = creating || isThere ? await keySource(seal, in: directory, isNew: !isThere) : .memory
        do {
            return try await SessionStore.open(
                directory: directory, source: source, time: edges.time, settings: SessionStore.Settings(bounds: edges.derivation))
        } catch {
            throw error.failure
        }
    }
}
