internal import AuthEngine
internal import AuthModel

/// What kinds of providers know, as the manual has it.
extension HelpTopics {
    /// The kinds there are, as `kind` takes them.
    static var kinds: String {
        let words = ProviderKind.allCases.map { "\"\($0.rawValue)\"" }
        return words.dropLast().joined(separator: ", ") + (words.last.map { " or \($0)." } ?? "")
    }

    /// The keys that one kind alone has, kind by kind.
    static var ownKeys: [HelpPage.Block] {
        ProviderKind.allCases.filter { !$0.ownKeys.isEmpty }.flatMap { kind -> [HelpPage.Block] in
            [
                .heading("[providers.NAME]: kind \"\(kind.rawValue)\""),
                .terms(kind.definition.keys.map { HelpPage.Term($0.name, $0.meaning) }),
            ]
        }
    }
}
