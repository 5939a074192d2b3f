package import AuthModel
internal import TOML

extension ConfigurationFile {
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

    /// Removes a provider. Throws `.configuration` if a system file defines it, because this file cannot remove it.
    package func remove(_ name: ProviderName) throws(AuthFailure) {
        if let file = try load().systemFile(of: name) {
            throw AuthFailure(
                .configuration, UserMessage("provider.in_system_file", ["provider": name, "file": file]),
                hint: UserMessage("hint.hide_provider", ["provider": name, "path": path]))
        }
        var before = Configuration()
        try change { (editor, current) throws(AuthFailure) in
            before = current
            do throws(TOMLError) { try editor.remove(table: ["providers", name.text]) } catch { throw AuthFailure(error, in: path) }
        } isIntended: { changed in
            changed == before.without(name)
        }
    }
}

extension Configuration {
    fileprivate func without(_ name: ProviderName) -> Configuration {
        var rest = self
        rest.providers.removeAll { $0.name == name }
        return rest
    }
}
