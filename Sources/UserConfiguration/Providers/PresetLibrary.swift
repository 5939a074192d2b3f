package import AuthModel
internal import OperatingSystem
internal import Synchronization

/// The available presets: the user's, those of the administrator, and the shipped ones. Of one name, the user's replaces the
/// administrator's, which replaces the shipped one.
package struct PresetLibrary: Sendable {
    /// The presets, sorted by name.
    package private(set) var presets: [ProviderPreset] = []
    /// The files with an error. No other preset of the same name is used in their place.
    package private(set) var problems: [ConfigurationProblem] = []
    /// The files of folders that were read, with and without an error.
    package private(set) var files: [String] = []
    /// The user's folder, if it exists and an administrator locked `presets`.
    package fileprivate(set) var lockedFolder: String?
    /// The first error of each file with an error, by the preset's name.
    private var failures: [String: AuthFailure] = [:]

    /// The maximum number of presets in a folder.
    package static let limit = 500

    /// Reads the presets of folders, most preferred first, and the shipped ones.
    package init(folders: [String], rules: ConfigurationRules) {
        let reader = PresetReader(rules: rules)
        var found: [String: ProviderPreset] = [:]
        func add(_ name: String, _ result: Result<ProviderPreset, AuthFailure>) {
            failures[name] = nil
            found[name] = nil
            switch result {
            case .success(let preset): found[name] = preset
            case .failure(let failure): failures[name] = failure
            }
        }
        for (name, result) in rules.shippedPresets.read(by: reader) { add(name, result) }
        for folder in folders.reversed() {
            do throws(AuthFailure) {
                for (name, path) in try Self.files(in: folder) {
                    files.append(path)
                    add(name, Result { () throws(AuthFailure) in try Self.read(path, name: name, by: reader) })
                }
            } catch {
                problems.append(ConfigurationProblem(error, in: folder))
            }
        }
        presets = found.values.sorted { $0.name < $1.name }
        problems += failures.sorted { $0.key < $1.key }.map { ConfigurationProblem($0.value, in: $0.key + Self.ending) }
    }

    fileprivate static let ending = ".toml"

    private static func files(in folder: String) throws(AuthFailure) -> [(name: String, path: String)] {
        try PrivateFile.checkDirectory(folder)
        let names = FolderListing.names(in: folder).filter { $0.hasSuffix(ending) }.sorted()
        guard names.count <= limit else {
            throw AuthFailure(
                .configuration, UserMessage("preset.too_many_files", ["folder": folder, "count": names.count]),
                hint: UserMessage("hint.at_most", ["maximum": limit]))
        }
        return names.map { (String($0.dropLast(ending.count)), "\(folder)/\($0)") }
    }

    private static func read(_ path: String, name: String, by reader: PresetReader) throws(AuthFailure) -> ProviderPreset {
        guard ProviderName(name) != nil, name == name.asciiLowercased() else {
            throw AuthFailure(in: path, UserMessage("config.invalid_provider_name", ["name": name]), hint: "hint.lower_case_name")
        }
        guard let bytes = try PrivateFile.read(path, limit: PresetReader.limit) else {
            throw AuthFailure(.configuration, UserMessage("config.file_not_found", ["path": path]))
        }
        var preset = try reader.read(PrivateFile.text(bytes, of: path), name: name, file: path)
        preset.file = path
        for index in preset.modes.indices { preset.modes[index].file = path }
        return preset
    }

    // MARK: Finding a preset

    /// Returns the preset with this name or alias; `nil` if there is none. Throws `.configuration` if its file has an error.
    package func named(_ text: String) throws(AuthFailure) -> ProviderPreset? {
        let name = text.asciiLowercased()
        if let failure = failures[name] { throw failure }
        return presets.first { $0.name == name } ?? presets.first { $0.aliases.contains(name) }
    }

    /// Returns the failure for a name that no preset has, with the most similar one.
    package func unknown(_ text: String) -> AuthFailure {
        let near = presets.flatMap { [$0.name] + $0.aliases }.nearest(to: text.asciiLowercased())
        return AuthFailure(
            .usage, UserMessage("preset.unknown", ["name": text]),
            hint: near.map { UserMessage("hint.did_you_mean_preset", ["name": $0]) } ?? "hint.list_presets")
    }

    /// Returns the preset, or the mode of one, whose address this is, and the user's place in it; `nil` if the address belongs to none.
    /// A longer host suffix goes before a shorter one, and a file before a shipped preset.
    package func recognising(_ address: WebURL) -> (preset: ProviderPreset, place: String?)? {
        var best: (preset: ProviderPreset, place: String?, rank: (Int, Int, Int))?
        for preset in presets {
            for candidate in [preset] + preset.modes {
                guard let match = candidate.match(address) else { continue }
                let rank = (match.suffix.count, candidate.mode == nil ? 0 : 1, candidate.file == nil ? 0 : 1)
                if best.map({ $0.rank < rank }) ?? true { best = (candidate, match.place, rank) }
            }
        }
        return best.map { ($0.preset, $0.place) }
    }

    /// Whether a shipped preset says that a page and a token endpoint belong together: because it has both, or because it has the issuer,
    /// whose metadata then say where they are.
    package func knows(page: Origin, tokens: Origin, of issuer: Issuer?) -> Bool {
        presets.filter { $0.file == nil }.flatMap { [$0] + $0.modes }.contains { preset in
            issuer.map(preset.isFixed) == true || preset.fixedOrigins.isSuperset(of: [page, tokens])
        }
    }
}

/// The presets of this program. They are read once in a process, when they are first asked for.
final class ShippedPresets: Sendable {
    private let results = Mutex<[(name: String, preset: Result<ProviderPreset, AuthFailure>)]?>(nil)

    /// Returns each shipped preset, or the error in its file, by its name.
    func read(by reader: PresetReader) -> [(name: String, preset: Result<ProviderPreset, AuthFailure>)] {
        results.withLock { results in
            if let results { return results }
            let read = EmbeddedFiles.all.filter { $0.name.hasSuffix(PresetLibrary.ending) }.map { file in
                let name = String(file.name.dropLast(PresetLibrary.ending.count))
                let text = file.text.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
                return (name, Result { () throws(AuthFailure) in try reader.read(text, name: name, file: file.name) })
            }
            results = read
            return read
        }
    }
}

extension ConfigurationFile {
    private static func presetFolder(in folder: String) -> String { folder + "/presets" }

    /// Reads the presets. The user's are left out if an administrator locked `presets`. Throws `.configuration` if a system file is wrong.
    package func presets() throws(AuthFailure) -> PresetLibrary {
        let isLocked = try reader().locks().contains { $0.path == ["presets"] }
        let user = [userFolder].compactMap { $0.map(Self.presetFolder) }
        var library = PresetLibrary(folders: (isLocked ? [] : user) + systemFolders.map(Self.presetFolder), rules: rules)
        if isLocked { library.lockedFolder = user.first(where: FileStatus.exists) }
        return library
    }
}
