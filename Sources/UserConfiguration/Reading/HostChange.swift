package import AuthModel
import TOML

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
    func wanted(from current: Configuration) -> Configuration {
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
            wanted = change.wanted(from: current)
            try edit(&editor, change, wanted: wanted)
        } isIntended: {
            $0 == wanted
        }
    }

    /// Returns the text of the file before and after a change, without writing it. Throws what ``apply(_:)`` would throw.
    package func preview(_ change: HostChange) throws(AuthFailure) -> (before: String, after: String) {
        var wanted = Configuration()
        return try preview { (editor, current) throws(AuthFailure) in
            wanted = change.wanted(from: current)
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
