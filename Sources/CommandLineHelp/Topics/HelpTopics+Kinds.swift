import AuthEngine
import AuthModel
import ProviderKinds
import UserConfiguration

/// The parts of the manual that describe provider kinds.
extension HelpTopics {
    /// The provider kinds, as values of `kind`.
    package static var kinds: String {
        let words = ProviderKind.allCases.map { "\"\($0.rawValue)\"" }
        return words.dropLast().joined(separator: ", ") + (words.last.map { " or \($0)." } ?? "")
    }

    /// The keys that not all kinds have, by kind.
    package static var ownKeys: [HelpPage.Block] {
        var groups: [(kinds: [ProviderKind], keys: [KindKey])] = []
        for kind in ProviderKind.allCases where !kind.definition.keys.isEmpty {
            let keys = kind.definition.keys
            // Kinds with the same keys share one list.
            if let index = groups.firstIndex(where: { $0.keys.map(\.name) == keys.map(\.name) }) {
                groups[index].kinds.append(kind)
            } else {
                groups.append(([kind], keys))
            }
        }
        return groups.flatMap { group -> [HelpPage.Block] in
            [
                .heading("[providers.NAME]: kind " + group.kinds.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")),
                .terms(group.keys.map { HelpPage.Term($0.name, $0.meaning) }),
            ]
        }
    }
}
