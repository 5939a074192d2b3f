package import AuthModel
import TOML

/// Changes of a provider that are undone if the sign-in after them fails. What another program has changed meanwhile stays.
extension ConfigurationFile {
    /// Removes a provider that the caller has added, and returns it as it was removed. Throws what ``checkRemovable(_:)`` throws, and
    /// `.configuration` if it has been changed since, except for a client that was registered again.
    package func remove(added provider: ProviderConfiguration) throws(AuthFailure) -> ProviderConfiguration? {
        try remove(provider.name) { current throws(AuthFailure) in try require(provider, in: current) }
    }

    /// Replaces the settings of a provider in one change, and returns what restores them. Throws what ``checkRemovable(_:)`` throws, and
    /// `.configuration` if the provider is no longer as it was read, or if the new settings are invalid.
    package func replace(
        _ provider: ProviderConfiguration, with values: [(key: String, value: String)]
    ) throws(AuthFailure) -> ReplacedProvider {
        try checkRemovable(provider.name)
        var replaced = ReplacedProvider(former: provider, written: provider)
        try change { (editor, current) throws(AuthFailure) in
            guard current.provider(provider.name) == provider else { throw changedMeanwhile }
            replaced.textBefore = editor.text
            replaced.values = try put(values, as: provider.name, in: &editor)
            replaced.textAfter = editor.text
            replaced.others = current.without(provider.name)
        } isIntended: { changed in
            guard let written = changed.provider(provider.name) else { return false }
            replaced.written = written
            return changed.without(provider.name) == replaced.others
        }
        return replaced
    }

    /// Restores the settings of a provider, and returns those that they replace. The file is then as it was, unless it has other changes.
    /// Throws `.configuration` if the provider itself has been changed since, except for a client that was registered again.
    package func restore(_ replaced: ReplacedProvider) throws(AuthFailure) -> ProviderConfiguration? {
        let name = replaced.former.name
        var before = Configuration()
        try change { (editor, current) throws(AuthFailure) in
            before = current
            try require(replaced.written, in: current)
            if editor.text == replaced.textAfter { return editor = TOMLEditor(replaced.textBefore) }
            _ = try put(replaced.values, as: name, in: &editor)
        } isIntended: { changed in
            changed.provider(name) == replaced.former && changed.without(name) == before.without(name)
        }
        return before.provider(name)
    }

    /// Throws if a provider is not as the caller has written it, besides what the sign-in itself has added: another client, and the user's
    /// answer about its hosts.
    private func require(_ written: ProviderConfiguration, in current: Configuration) throws(AuthFailure) {
        guard var found = current.provider(written.name) else { throw changedMeanwhile }
        found.signInHosts = written.signInHosts
        if written.registeredScopes != nil, found.registeredScopes != nil {
            (found.clientID, found.registeredScopes) = (written.clientID, written.registeredScopes)
        }
        guard found == written else { throw changedMeanwhile }
    }

    /// Replaces the table of a provider, and returns the values that it had.
    private func put(
        _ values: [(key: String, value: String)], as name: ProviderName, in editor: inout TOMLEditor
    ) throws(AuthFailure) -> [(key: String, value: String)] {
        let table = ["providers", name.text]
        do throws(TOMLError) {
            let former = try TOMLDocument(editor.text).root[path: table]?.members ?? []
            try editor.remove(table: table)
            editor.append(table: table, values: values)
            return former.map { (key: $0.name, value: TOMLText.value($0.value)) }
        } catch {
            throw AuthFailure(error, in: path)
        }
    }
}

/// A provider whose settings were replaced, with what restores them.
package struct ReplacedProvider: Sendable {
    /// The provider as it was.
    package let former: ProviderConfiguration
    /// The provider as it was written.
    package fileprivate(set) var written: ProviderConfiguration
    /// The file before and after.
    fileprivate var textBefore = ""
    fileprivate var textAfter = ""
    /// The values of the former table.
    fileprivate var values: [(key: String, value: String)] = []
    /// The configuration without the provider.
    fileprivate var others = Configuration()
}
