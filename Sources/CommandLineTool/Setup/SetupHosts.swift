internal import AuthModel
internal import UserConfiguration

/// The hosts that setups added to `api_hosts`, in `setup.json` in the folder of the state. `--remove` leaves all others, which the user added.
struct SetupHosts: Sendable {
    private let folder: String
    /// The path of the configuration that has the hosts.
    private let configuration: String

    private var path: String { "\(folder)/setup.json" }

    init(_ context: CommandContext) throws(AuthFailure) {
        (folder, configuration) = (try context.directories.state, try context.configurationFile().path)
    }

    /// Returns whether a setup added the host of a change.
    func contains(_ change: HostChange) throws(AuthFailure) -> Bool { try read().contains(entry(change)) }

    /// Keeps the record up to date with a change that was made.
    func note(_ change: HostChange) throws(AuthFailure) {
        try PrivateFile.makeDirectory(folder, isPrivate: true)
        try PrivateFile.withLock(on: folder) { () throws(AuthFailure) in
            let hosts = try read().filter { $0 != entry(change) } + (change.direction == .add ? [entry(change)] : [])
            try PrivateFile.replace(path, with: Array(JSONValue.answer(("api_hosts", .array(hosts))).text.utf8))
        }
    }

    private func entry(_ change: HostChange) -> JSONValue {
        .members(
            ("configuration", .string(configuration)), ("provider", .string(change.provider.text)), ("host", .string(change.host)))
    }

    /// Returns the entries; none if the file is missing or damaged: then all hosts count as the user's.
    private func read() throws(AuthFailure) -> [JSONValue] {
        try PrivateFile.read(path).flatMap { try? JSONValue(strict: $0) }?["api_hosts"]?.array ?? []
    }
}
