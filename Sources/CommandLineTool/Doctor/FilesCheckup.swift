internal import AuthModel
internal import Localization
internal import SessionStore
internal import UserConfiguration

/// Checks the files: configuration, folders, store and keyring.
struct FilesCheckup {
    let context: CommandContext

    /// The configured providers; none if the configuration cannot be read.
    var providers: [ProviderConfiguration] { (try? context.configurationFile().read().providers) ?? [] }

    func findings() async -> [Finding] { [configuration] + openFolders + (await store()) + (await keyring().map { [$0] } ?? []) }

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

    /// Failures for folders that other users can access; other commands refuse these folders.
    private var openFolders: [Finding] {
        let directories = context.directories
        return [try? directories.data, try? directories.state, try? directories.cache].compactMap(\.self).compactMap { folder in
            do throws(AuthFailure) {
                try PrivateFile.checkDirectory(folder, isPrivate: true)
                return nil
            } catch {
                return .failure("folder", error)
            }
        }
    }

    /// Checks the store, and warns about sessions that need a new sign-in.
    private func store() async -> [Finding] {
        do throws(AuthFailure) {
            let directory = try context.directories.data
            guard FileStatus.exists(directory) else { return [.well("store", "none yet; it will be created in \(directory)")] }
            let service = try await context.service()
            let sessions = try await service.sessions()
            try await service.unlockIfNoPassphraseNeeded()
            let ended = sessions.filter { $0.hasEnded(at: context.now) }.map { session in
                Finding.warning(
                    "session", "\(session.name) needs a sign-in", hint: "sign in again with: yett login \(session.name.shellWord)")
            }
            let seal = try await service.seal() == .unlocked ? "readable" : "locked"
            return [.well("store", "\(directory), \(sessions.count) session\(sessions.count == 1 ? "" : "s"), \(seal)")] + ended
        } catch {
            return [.failure("store", error)]
        }
    }

    /// Checks the keyring, if the configuration allows it to hold the store's key.
    private func keyring() async -> Finding? {
        let seal = (try? context.configurationFile().read().seal) ?? .auto
        guard seal == .auto || seal == .secretService else { return nil }
        guard let trouble = await context.keyring.trouble() else {
            return .well("keyring", "unlocked, and can keep a store's key")
        }
        let failure = StoreError(.keyring(trouble)).failure
        if seal == .secretService { return .failure("keyring", failure) }
        let text = "\(failure.summary); a new store is sealed by a key file"
        return trouble.isObstacle ? .warning("keyring", text, hint: failure.hintText) : .well("keyring", text)
    }
}
