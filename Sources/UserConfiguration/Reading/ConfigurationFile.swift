package import AuthModel
package import TOML

/// The configuration file: finds, reads and changes it.
package struct ConfigurationFile: Sendable {
    /// The absolute path of the file.
    package let path: String
    /// Whether the user named the file; then it must exist.
    package let isNamed: Bool
    /// The absolute paths of the administrator's folders, most preferred first.
    package let systemFolders: [String]
    /// The absolute path of the user's folder; `nil` if there is no home.
    let userFolder: String?
    private let home: String?
    /// The program's kinds, languages and keys.
    package let rules: ConfigurationRules

    /// Finds the file: `--config`, else `YETT_CONFIG`, else `config.toml` in the configuration folder. Throws `.configuration` for a
    /// relative path in the variable.
    package init(
        option: String?, environment: [String: String], directories: Directories, workingDirectory: String, rules: ConfigurationRules
    ) throws(AuthFailure) {
        self.rules = rules
        home = directories.home
        systemFolders = directories.system
        userFolder = try? directories.configuration
        // A relative variable would mean another file in each folder, also in a cloned repository.
        if option == nil, let named = environment["YETT_CONFIG"], !named.isEmpty, !named.hasPrefix("/") {
            throw AuthFailure(
                .configuration, UserMessage("config.variable_not_absolute", ["path": named]), hint: "hint.set_absolute_config_or_option")
        }
        if let named = option ?? environment["YETT_CONFIG"], !named.isEmpty {
            path = named.hasPrefix("/") ? named : workingDirectory + "/" + named
            isNamed = true
        } else {
            path = try directories.configuration + "/config.toml"
            isNamed = false
        }
    }

    private var directory: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    /// The paths of all files that the configuration can come from, the user's first. They may be missing.
    package var paths: [String] { [path] + systemFolders.map { $0 + "/config.toml" } }

    /// Reads the file over the system files. Returns an empty configuration if there are none. Throws `.configuration`.
    package func read() throws(AuthFailure) -> Configuration { try load().configuration }

    /// Reads the file over the system files, with the origin of its content. Throws `.configuration`.
    package func load() throws(AuthFailure) -> LoadedConfiguration { try reader().load(text() ?? "") }

    /// Returns all problems of the file over the system files; none if it is valid. Throws `.configuration` if a file cannot be read.
    package func problems() throws(AuthFailure) -> [ConfigurationProblem] { try reader().problems(in: text() ?? "") }

    /// Returns the provider that a table would define by itself. Throws `.configuration`, without a line, if the reader would reject it.
    package func provider(_ name: ProviderName, _ values: [(key: String, value: String)]) throws(AuthFailure) -> ProviderConfiguration {
        var editor = TOMLEditor("")
        editor.append(table: ["providers", name.text], values: values)
        let place = ["providers", name.text]
        do throws(AuthFailure) {
            let document = try ConfigurationDocument(editor.text, name: path)
            let section = try ConfigurationSection(document.root[path: place] ?? .table([]), at: place, of: document)
            return try ProviderReader(section: section, directory: directory, home: home, rules: rules).read(name)
        } catch {
            let problem = ConfigurationProblem(error, in: path)
            throw AuthFailure(.configuration, problem.message, hint: problem.hint)
        }
    }

    func reader() throws(AuthFailure) -> ConfigurationReader {
        ConfigurationReader(
            name: path, directory: directory, home: home, rules: rules, system: try SystemConfiguration.files(in: systemFolders),
            replacesSystem: isNamed)
    }

    private func text() throws(AuthFailure) -> String? {
        if !isNamed { try PrivateFile.checkDirectory(directory) }
        guard let bytes = try PrivateFile.read(path) else {
            guard isNamed else { return nil }
            throw AuthFailure(.configuration, UserMessage("config.file_not_found", ["path": path]), hint: "hint.check_config_option")
        }
        return try PrivateFile.text(bytes, of: path)
    }

    var changedMeanwhile: AuthFailure {
        AuthFailure(.configuration, UserMessage("config.changed_by_other_program", ["path": path]), hint: "hint.check_file_and_try_again")
    }

    private var cannotBeChanged: AuthFailure {
        AuthFailure(.configuration, UserMessage("config.cannot_edit", ["path": path]), hint: "hint.edit_in_text_editor")
    }

    /// The values in the file; an empty table if the file does not exist or cannot be read.
    package var root: TOMLValue { (try? text()).flatMap { try? TOMLDocument($0).root } ?? .table([]) }

    /// Changes the text under the folder's lock, reads the result again, and writes it only if it means what the caller intends.
    ///
    /// - Parameters:
    ///   - edit: changes the text.
    ///   - isIntended: returns whether the configuration read from the changed text is the intended one.
    package func change(
        _ edit: (inout TOMLEditor, Configuration) throws(AuthFailure) -> Void, isIntended: (Configuration) -> Bool
    ) throws(AuthFailure) {
        try PrivateFile.makeDirectory(directory)
        try PrivateFile.withLock(on: directory) { () throws(AuthFailure) in
            let before = try PrivateFile.read(path)
            let text = try edited(before == nil ? "" : self.text() ?? "", edit, isIntended: isIntended)
            // Text editors do not use our lock.
            guard try PrivateFile.read(path) == before else { throw changedMeanwhile }
            try PrivateFile.replace(path, with: Array(text.utf8))
        }
    }

    /// Returns the text before and after a change, without writing it. Throws what ``change(_:isIntended:)`` would throw.
    func preview(
        _ edit: (inout TOMLEditor, Configuration) throws(AuthFailure) -> Void, isIntended: (Configuration) -> Bool
    ) throws(AuthFailure) -> (before: String, after: String) {
        let before = try text() ?? ""
        return (before, try edited(before, edit, isIntended: isIntended))
    }

    private func edited(
        _ text: String, _ edit: (inout TOMLEditor, Configuration) throws(AuthFailure) -> Void, isIntended: (Configuration) -> Bool
    ) throws(AuthFailure) -> String {
        let reader = try reader()
        let current = try reader.load(text)
        var editor = TOMLEditor(text)
        try edit(&editor, current.configuration)
        guard (try? TOMLDocument(editor.text)) != nil else { throw cannotBeChanged }
        let changed = try reader.load(editor.text)
        let known = Set(current.ignored.map(\.path))
        if let setting = changed.ignored.first(where: { !known.contains($0.path) }) { throw setting.lockedFailure }
        guard isIntended(changed.configuration) else { throw cannotBeChanged }
        return editor.text
    }

    /// Adds a provider. Throws `.configuration` if the name is taken or the settings are invalid.
    package func add(_ name: ProviderName, _ values: [(key: String, value: String)]) throws(AuthFailure) {
        var before = Configuration()
        try change { (editor, current) throws(AuthFailure) in
            guard current.provider(name) == nil else {
                throw AuthFailure(.configuration, UserMessage("provider.name_taken", ["provider": name]), hint: "hint.choose_other_name")
            }
            before = current
            editor.append(table: ["providers", name.text], values: values)
        } isIntended: { changed in
            changed.provider(name) != nil && changed.without(name) == before
        }
    }

    /// Throws `.configuration` for a provider that a system file defines, because this file cannot remove it.
    package func checkRemovable(_ name: ProviderName) throws(AuthFailure) {
        guard let file = try load().systemFile(of: name) else { return }
        throw AuthFailure(
            .configuration, UserMessage("provider.in_system_file", ["provider": name, "file": file]),
            hint: UserMessage("hint.hide_provider", ["provider": name, "path": path]))
    }

    /// Removes a provider. Throws what ``checkRemovable(_:)`` throws.
    package func remove(_ name: ProviderName) throws(AuthFailure) { _ = try remove(name) { _ throws(AuthFailure) in } }

    /// Removes a provider, and returns it.
    ///
    /// - Parameter check: gets the configuration under the folder's lock, and throws if the provider is to stay.
    func remove(
        _ name: ProviderName, checking check: (Configuration) throws(AuthFailure) -> Void
    ) throws(AuthFailure) -> ProviderConfiguration? {
        try checkRemovable(name)
        var before = Configuration()
        try change { (editor, current) throws(AuthFailure) in
            before = current
            try check(current)
            do throws(TOMLError) { try editor.remove(table: ["providers", name.text]) } catch { throw AuthFailure(error, in: path) }
        } isIntended: { changed in
            changed == before.without(name)
        }
        return before.provider(name)
    }
}

extension Configuration {
    func without(_ name: ProviderName) -> Configuration {
        var rest = self
        rest.providers.removeAll { $0.name == name }
        return rest
    }
}

/// A change of the hosts that a provider's tokens may be sent to.
package struct HostChange: Equatable, Sendable {
    /// Whether the host is added to `api_hosts`, or removed from it.
    package enum Direction: Equatable, Sendable {
        case add
        case remove
    }

    /// The provider.
    package let provider: ProviderName
    /// The host, as `host` or `host:port`.
    package let host: String
    package let direction: Direction

    package init(_ direction: Direction, _ host: String, of provider: ProviderName) {
        (self.direction, self.host, self.provider) = (direction, host, provider)
    }

    /// Returns the configuration after the change.
    func applied(to current: Configuration) -> Configuration {
        var wanted = current
        for index in wanted.providers.indices where wanted.providers[index].name == provider {
            wanted.providers[index].apiHosts.removeAll { $0 == host }
            if direction == .add { wanted.providers[index].apiHosts.append(host) }
        }
        return wanted
    }
}

extension ConfigurationFile {
    private static let key = "api_hosts"

    /// Returns the hosts that this file names for a provider, without those of system files; empty if it cannot be read.
    package func ownHosts(of provider: ProviderName) -> [String] {
        (root[path: ["providers", provider.text, Self.key]]?.array ?? []).compactMap { $0.string?.asciiLowercased() }
    }

    /// Makes a change of `api_hosts`. Throws `.configuration` if an administrator locked it, or if the file cannot be changed.
    package func apply(_ change: HostChange) throws(AuthFailure) {
        var wanted = Configuration()
        try self.change { (editor, current) throws(AuthFailure) in
            wanted = change.applied(to: current)
            try edit(&editor, change, wanted: wanted)
        } isIntended: {
            $0 == wanted
        }
    }

    /// Returns the text of the file before and after a change, without writing it. Throws what ``apply(_:)`` would throw.
    package func preview(_ change: HostChange) throws(AuthFailure) -> (before: String, after: String) {
        var wanted = Configuration()
        return try preview { (editor, current) throws(AuthFailure) in
            wanted = change.applied(to: current)
            try edit(&editor, change, wanted: wanted)
        } isIntended: {
            $0 == wanted
        }
    }

    private func edit(_ editor: inout TOMLEditor, _ change: HostChange, wanted: Configuration) throws(AuthFailure) {
        do throws(TOMLError) {
            let table = ["providers", change.provider.text]
            let own = (try TOMLDocument(editor.text).root[path: table + [Self.key]]?.array ?? []).map { $0.string?.asciiLowercased() }
            switch change.direction {
            case .add:
                let hosts = wanted.provider(change.provider)?.apiHosts ?? []
                // A system file may have the other hosts, which a key in this file replaces.
                if own.isEmpty { return try editor.set(Self.key, in: table, to: TOMLText.list(hosts)) }
                try editor.append(change.host, to: Self.key, in: table)
            case .remove:
                if let short = try withoutKey(editor, of: table, wanted: wanted) { return editor = short }
                for index in own.indices.reversed() where own[index] == change.host {
                    try editor.removeElement(index, of: Self.key, in: table)
                }
            }
        } catch {
            throw AuthFailure(error, in: path)
        }
    }

    /// Returns the text without the key, and without a table that has only this key; `nil` if that means something else.
    private func withoutKey(_ editor: TOMLEditor, of table: [String], wanted: Configuration) throws(TOMLError) -> TOMLEditor? {
        var shorter = editor
        try shorter.remove(Self.key, in: table)
        var shortest = shorter
        try shortest.remove(table: table)
        let isEmpty = try TOMLDocument(shorter.text).root[path: table]?.members?.isEmpty == true
        return (isEmpty ? [shortest, shorter] : [shorter]).first { (try? reader().read($0.text)) == wanted }
    }
}
