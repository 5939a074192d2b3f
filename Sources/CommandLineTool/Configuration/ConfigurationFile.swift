internal import AuthModel
internal import TOML

/// The configuration file: where it is, how it is read, and how it is changed.
struct ConfigurationFile: Sendable {
    /// An absolute path.
    let path: String
    /// Whether somebody named it; then it must be there.
    let isNamed: Bool
    private let home: String?

    /// `--config`, else `YETT_CONFIG`, else `config.toml` in the folder of the configuration.
    init(option: String?, environment: [String: String], directories: Directories, workingDirectory: String) throws(AuthFailure) {
        home = directories.home
        if let named = option ?? environment["YETT_CONFIG"], !named.isEmpty {
            path = named.hasPrefix("/") ? named : workingDirectory + "/" + named
            isNamed = true
        } else {
            path = try directories.configuration + "/config.toml"
            isNamed = false
        }
    }

    private var directory: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    /// What it says; an empty configuration where there is none and nobody named one. Throws `.configuration`.
    func read() throws(AuthFailure) -> Configuration {
        try reader.read(text() ?? "")
    }

    /// The provider that a new table would give. Nothing is written. Throws `.configuration` for what the file would be refused with.
    func preview(_ name: ProviderName, _ values: [(key: String, value: String)]) throws(AuthFailure) -> ProviderConfiguration? {
        var editor = TOMLEditor(try text() ?? "")
        editor.append(table: ["providers", name.text], values: values)
        return try reader.read(editor.text).provider(name)
    }

    private var reader: ConfigurationReader { ConfigurationReader(name: path, directory: directory, home: home) }

    private func text() throws(AuthFailure) -> String? {
        if !isNamed { try PrivateFile.checkDirectory(directory) }
        guard let bytes = try PrivateFile.read(path) else {
            guard isNamed else { return nil }
            throw AuthFailure(.configuration, "there is no configuration file \(path)", hint: "see --config and YETT_CONFIG")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AuthFailure(.configuration, "\(path) is not UTF-8 text", hint: "save it as UTF-8")
        }
        return text
    }

    private var cannotBeChanged: AuthFailure {
        AuthFailure(.configuration, "\(path) is written in a way that cannot be changed from here", hint: "change it in an editor")
    }

    /// The values that are written; an empty table where there is no such file, or it cannot be read.
    var root: TOMLValue { (try? text()).flatMap { try? TOMLDocument($0).root } ?? .table([]) }

    /// Changes the text under the folder's lock, reads the outcome again and writes it only when it says what was meant.
    ///
    /// - Parameters:
    ///   - edit: changes the text.
    ///   - isMeant: whether the configuration that the changed text gives is the one that was wanted.
    func change(
        _ edit: (inout TOMLEditor, Configuration) throws(AuthFailure) -> Void, isMeant: (Configuration) -> Bool
    ) throws(AuthFailure) {
        try PrivateFile.makeDirectory(directory)
        try PrivateFile.withLock(on: directory) { () throws(AuthFailure) in
            let before = try PrivateFile.read(path)
            let text = try before == nil ? "" : self.text() ?? ""
            let current = try reader.read(text)
            var editor = TOMLEditor(text)
            try edit(&editor, current)
            guard (try? TOMLDocument(editor.text)) != nil else { throw cannotBeChanged }
            guard isMeant(try reader.read(editor.text)) else { throw cannotBeChanged }
            // An editor knows nothing of our lock.
            guard try PrivateFile.read(path) == before else {
                throw AuthFailure(.configuration, "\(path) was changed by something else just now", hint: "look at it, and try again")
            }
            try PrivateFile.replace(path, with: Array(editor.text.utf8))
        }
    }
}

extension ConfigurationFile {
    /// Keeps the name of the theme for the next start.
    func save(theme name: String) throws(AuthFailure) {
        try change { (editor, _) throws(AuthFailure) in
            do throws(TOMLError) { try editor.set("theme", in: ["ui"], to: TOMLText.quoted(name)) } catch {
                throw AuthFailure(error, in: path)
            }
        } isMeant: { changed in
            changed.interface.theme == name
        }
    }
}
