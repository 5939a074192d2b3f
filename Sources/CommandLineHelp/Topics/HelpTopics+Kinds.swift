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

    /// The keys that only one kind defines, by kind.
    package static var ownKeys: [HelpPage.Block] {
        ProviderKind.allCases.filter { !$0.definition.keys.isEmpty }.flatMap { kind -> [HelpPage.Block] in
            [
                .heading("[providers.NAME]: kind \"\(kind.rawValue)\""),
                .terms(kind.definition.keys.map { HelpPage.Term($0.name, $0.meaning) }),
            ]
        }
    }
}
