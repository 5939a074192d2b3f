internal import AuthModel
internal import Localization
internal import SessionStore
internal import TerminalApp
internal import UserConfiguration

/// Checks the files: configuration, folders, store, keyring and systemd's credentials service.
struct FilesCheckup {
    let context: CommandContext

    /// The configured providers; none if the configuration cannot be read.
    var providers: [ProviderConfiguration] { (try? context.configurationFile().read().providers) ?? [] }

    func findings() async -> [Finding] {
        let configuration = self.configuration
        let (store, seal) = await store(configuration)
        let files = [configuration] + systemFiles + systemThemes + presets + openFolders + store
        // What keeps the key, and the providers, are settings.
        guard configuration.outcome != .failure else { return files + ["keyring", "provider"].map { Finding.withoutConfiguration($0) } }
        return files + (await keyStorages(of: seal))
    }

    private var configuration: Finding {
        do throws(AuthFailure) {
            let file = try context.configurationFile()
            let loaded = try file.load()
            let configuration = loaded.configuration
            guard FileStatus.exists(file.path) || !loaded.systemFiles.isEmpty else {
                return .warning(
                    "configuration", "none yet: \(file.path)", hint: ProvidersAddCommand.hint)
            }
            let count = configuration.providers.count
            return .well("configuration", "\(count) provider\(count == 1 ? "" : "s") in \(file.path)")
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
            .map { .well("theme", "\($0.key), from \($0.value)", item: $0.key) }
    }

    /// The presets in files, their errors, and the user's folder if it is not read.
    private var presets: [Finding] {
        guard let library = try? context.configurationFile().presets() else { return [] }
        let valid = library.presets.compactMap { preset in
            preset.file.map { Finding.well("preset", "\(preset.name), from \($0)", item: preset.name) }
        }
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

    /// Checks the store, and warns about sessions that need a new sign-in. Returns also the seal; `nil` if there is no store.
    ///
    /// - Parameter configuration: the result for the configuration, whose fault is not one of the store too.
    private func store(_ configuration: Finding) async -> ([Finding], Seal?) {
        do throws(AuthFailure) {
            let directory = try context.directories.data
            guard FileStatus.exists(directory) else { return ([.well("store", "none yet; it will be created in \(directory)")], nil) }
            let service = try await context.service()
            let sessions = try await service.sessions()
            try await service.unlockIfNoPassphraseNeeded()
            let ended = sessions.filter { $0.hasEnded(at: context.now) }.map { session in
                Finding.warning(
                    "session", "\(session.name): \(Words.state(session.state(at: context.now)))",
                    hint: "sign in again with: yett login \(session.name.shellWord)")
            }
            let report = try await service.perform(ReadSeal())
            let state = report.state == .unlocked ? "readable" : "locked"
            let found = "\(directory), \(sessions.count) session\(sessions.count == 1 ? "" : "s"), \(state)"
            // An agent has no reason for it here; the command says which one.
            let isShut = report.state != .unlocked && !report.needsPassphrase
            let store = isShut ? Finding.warning("store", found, hint: "unlock it with: yett agent unlock") : .well("store", found)
            guard let seal = report.seal, let protection = report.protection.map({ ProtectionWords($0) }),
                FileStatus.exists("\(directory)/\(SessionStore.fileName)")
            else { return ([store] + ended, nil) }
            let limits = "\(protection.keyLocation); does not protect from: \(protection.lacks.joined(separator: "; "))"
            return ([store, .well("seal", "\(seal.rawValue): \(limits)")] + ended, seal)
        } catch {
            let failure = Finding.failure("store", error)
            let isRepeated = configuration.outcome == .failure && failure.text == configuration.text
            return ([isRepeated ? .withoutConfiguration("store") : failure], nil)
        }
    }

    /// Checks what keeps the store's key, or may keep it by the configuration: the keyring, systemd's service, security keys.
    private func keyStorages(of stored: Seal?) async -> [Finding] {
        let seal = (try? context.configurationFile().read().seal) ?? .auto
        let keys = seal == .securityKey || stored == .securityKey ? [await securityKeys()] : []
        guard seal == .auto || seal == .secretService || seal == .system else { return keys }
        let trouble = seal == .secretService ? nil : await context.systemCredential.trouble()
        let isSealing = seal == .auto && trouble == nil
        let keyring = seal == .system ? nil : await keyring(seal, else: isSealing ? "systemd to this machine" : "a key file")
        return keys + [keyring, seal == .secretService ? nil : system(seal, trouble)].compactMap(\.self)
    }

    private func securityKeys() async -> Finding {
        do throws(SecurityKeyFailure) {
            return .well("security key", "plugged in: \(try await context.securityKey.pluggedIn())")
        } catch {
            let failure = StoreError(.securityKey(error)).failure
            return error == .noKey ? .warning("security key", failure.summary, hint: failure.hintText) : .failure("security key", failure)
        }
    }

    private func keyring(_ seal: Configuration.Seal, else other: String) async -> Finding {
        guard let trouble = await context.keyring.trouble() else {
            return .well("keyring", "unlocked, and can keep a store's key")
        }
        let failure = StoreError(.keyring(trouble)).failure
        if seal == .secretService { return .failure("keyring", failure) }
        let text = "\(failure.summary); a new store is sealed by \(other)"
        return trouble.isObstacle ? .warning("keyring", text, hint: failure.hintText) : .well("keyring", text, isChecked: false)
    }

    /// `nil` if the machine has no service and needs none.
    private func system(_ seal: Configuration.Seal, _ trouble: SystemCredentialFailure?) -> Finding? {
        guard let trouble else { return .well("systemd", "can seal a store's key to this machine") }
        let failure = StoreError(.systemKey(trouble)).failure
        // Root's systemd-creds is not asked here.
        if seal == .system { return .warning("systemd", failure.summary, hint: failure.hintText) }
        return trouble.isObstacle ? .warning("systemd", failure.summary, hint: failure.hintText) : nil
    }
}
