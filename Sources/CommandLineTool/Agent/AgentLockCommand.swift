internal import Agent
internal import ArgumentParser
internal import AuthModel

/// `yett agent lock`: removes the store's keys from the agent's memory.
struct AgentLockCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "lock", abstract: "Lock the store: the agent forgets its keys and tokens.")

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        guard try await client.status() != nil else { return context.console.note("there is no agent, so nothing is unlocked") }
        try await client.lock()
        context.console.note("the store is locked")
    }
}

/// `yett agent unlock`: sends the store's passphrase to the agent.
struct AgentUnlockCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock the store.",
        discussion: """
            A passphrase is asked for on the terminal, or read from the file that YETT_PASSPHRASE_FILE names; where the key lies in a file or \
            a keyring, none is.
            """)

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        if try await client.status() == nil {
            guard let starter = context.agentStarter() else {
                throw AuthFailure(.configuration, "there is no agent", hint: "start it with: yett agent run")
            }
            try await starter.start()
        }
        if case .locked = try await client.seal(), await !client.needsPassphrase() {
            // The key source needs no passphrase, but a manual lock must be undone explicitly.
            try await client.unlock(passphrase: Secret(""))
        } else {
            try await PassphrasePrompt(context: context).unlock(client)
        }
        context.console.note("the store is unlocked")
    }
}
