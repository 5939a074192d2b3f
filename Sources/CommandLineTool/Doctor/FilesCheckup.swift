internal import AuthModel
internal import Localization
internal import SessionStore
internal import TerminalApp
internal import UserConfiguration

/// Checks the files: configuration, folders, store and keyring.
struct FilesCheckup {
    let context: CommandContext

    /// The configured providers; none if the configuration cannot be read.
    var providers: [ProviderConfiguration] { (try? context.configurationFile().read().providers) ?? [] }

    func findings() async -> [Finding] {
        [configuration] + systemFiles + systemThemes + presets + openFolders + (await store()) + (await keyring().map { [$0] } ?? [])
    }

    private var configuration: Finding {
        do throws(AuthFailure) {
            let file = try context.configurationFile()
            let loaded = try file.load()
            let configuration = loaded.configuration
            guard FileStatus.exists(file.path) || !loaded.systemFiles.isEmpty else {
                return .warning(
                    "configuration", "none yet: \(file.path)", hint: "add a provider with: yett providers add ISSUER --client-id ID")
            }
            let count = configuration.providers.count
            return .well("configuration", "\(file.path), \(count) provider\(count == 1 ? "" : "s")")
        } catch {
            return .failure("configuration", error)
        }
    }

    /// The administrator's files with what they define and lock, and warnings about the user's settings that have no effect.
    private var systemFiles: [Finding] {
        guard let loaded = try? context.configurationFile().load() else { return [] }
        let files = loaded.systemFiles.map { file in
            let providers = loaded.configuration.providers.map(\.name).filter { loaded.files(of: $0).contains(file) }
            let locks = loaded.locked.filter { $0.place.hasPrefix(file + ":") }.map(\.text)
            let parts = [
                providers.isEmpty ? nil : "defines \(providers.map(\.text).joined(separator: ", "))",
                locks.isEmpty ? nil : "locks \(locks.joined(separator: ", "))",
            ]
            return Finding.well("system file", ([file] + parts.compactMap(\.self)).joined(separator: "; "))
        }
        let ignored = loaded.ignored.map { setting in
            let failure = setting.failure
            return Finding.warning("locked", "\(failure.summary); the administrator's value is used", hint: failure.hintText)
        }
        return files + ignored
    }

    /// The themes of the administrator.
    private var systemThemes: [Finding] {
        let files = context.themeLibrary().files.sorted { $0.key < $1.key }
        return files.filter { file in context.directories.system.contains { file.value.hasPrefix($0 + "/") } }
            .map { .well("theme", "\($0.key), from \($0.value)") }
    }

    /// The presets in files, their errors, and the user's folder if it is not read.
    private var presets: [Finding] {
        guard let library = try? context.configurationFile().presets() else { return [] }
        let valid = library.presets.compactMap { preset in preset.file.map { Finding.well("preset", "\(preset.name), from \($0)") } }
        let errors = library.problems.map { problem in
            Finding(check: "preset", outcome: .failure, text: "\(problem.place): \(problem.message.english)", hint: problem.hint?.english)
        }
        let locked = library.lockedFolder.map { folder in
            Finding.warning("preset", "\(folder) is not read: an administrator locked presets", hint: "ask your administrator")
        }
        return valid + errors + [locked].compactMap(\.self)
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
                    "session", "\(session.name): \(Words.state(session.state(at: context.now)))",
                    hint: "sign in again with: yett login \(session.name.shellWord)")
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
