internal import AuthModel

/// What lies on the disk: configuration and store.
struct FilesCheckup {
    let context: CommandContext

    /// The configured providers; none where the configuration cannot be read.
    var providers: [ProviderConfiguration] { (try? context.configurationFile().read().providers) ?? [] }

    func findings() async -> [Finding] { [configuration, await store()] }

    private var configuration: Finding {
        do throws(AuthFailure) {
            let file = try context.configurationFile()
            let configuration = try file.read()
            guard FileStatus.exists(file.path) else {
                return .warning(
                    "configuration", "none yet: \(file.path)", hint: "add a provider with: yett providers add ISSUER --client-id ID")
            }
            let count = configuration.providers.count
            return .well("configuration", "\(file.path), \(count) provider\(count == 1 ? "" : "s")")
        } catch {
            return .failure("configuration", error)
        }
    }

    private func store() async -> Finding {
        do throws(AuthFailure) {
            let directory = try context.directories.data
            guard FileStatus.exists(directory) else { return .well("store", "none yet; it will be made in \(directory)") }
            let keeper = try await context.keeper()
            let sessions = try await keeper.sessions()
            let seal = await keeper.seal() == .unlocked ? "can be read" : "locked by a passphrase"
            return .well("store", "\(directory), \(sessions.count) session\(sessions.count == 1 ? "" : "s"), \(seal)")
        } catch {
            return .failure("store", error)
        }
    }
}
