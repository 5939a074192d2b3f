internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett agent lock`: removes the store's keys from the agent's memory.
struct AgentLockCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "lock", abstract: "Lock the store: the agent erases its keys and tokens.")
    static let examples: KeyValuePairs = ["yett agent lock": "Locks the store until you unlock it."]

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        guard try await client.status() != nil else { return context.console.note("no agent is running, so nothing is unlocked") }
        try await client.lock()
        context.console.note("the store is locked")
    }
}

/// `yett agent unlock`: sends the store's passphrase to the agent.
struct AgentUnlockCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock the store.",
        discussion: """
            Asks for the passphrase on the terminal, or reads it from the file in YETT_PASSPHRASE_FILE. A store whose key is in a file or \
            a keyring needs none.
            """)
    static let examples: KeyValuePairs = [
        "yett agent unlock": "Asks for the passphrase.",
        "YETT_PASSPHRASE_FILE=~/passphrase yett agent unlock": "Reads the passphrase from a file that only you can read.",
    ]

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        if try await client.status() == nil {
            guard let starter = context.agentStarter() else {
                throw AuthFailure(.configuration, text: "no agent is running", hint: "start it with: yett agent run")
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
