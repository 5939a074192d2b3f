import AuthModel
import TerminalAppModel

/// Checks of the fields that need no request to the provider.
enum ProviderFieldRules {
    static func address(_ text: String, choice: ProviderPresetChoice?) -> String? {
        if let choice { return answer(text, choice.place) }
        if text.isEmpty { return AddProviderWords.noAddress }
        if let problem = blanks(text) { return problem }
        guard let url = WebURL(text.contains("://") ? text : "https://" + text) else { return AddProviderWords.notAnAddress }
        return url.isRequestable ? nil : AddProviderWords.notProtected
    }

    /// Checks the answer to a question of a well-known service.
    static func answer(_ text: String, _ question: ProviderPresetChoice.Question?) -> String? {
        guard let question else { return nil }
        return text.isEmpty && question.fallback == nil ? AddProviderWords.missingAnswer(question.what) : blanks(text)
    }

    static func page(_ text: String) -> String? {
        WebURL(text).map { $0.origin.scheme == .https && $0.fragment == nil } == true ? nil : AddProviderWords.notAPage
    }

    static func clientID(_ text: String) -> String? { text.isEmpty ? AddProviderWords.noClientID : nil }

    static func secretFile(_ text: String, choice: ProviderPresetChoice?) -> String? {
        text.isEmpty && choice?.secret == .required ? AddProviderWords.noSecretFile : nil
    }

    static func name(_ text: String, taken: Set<String>) -> String? {
        if text.isEmpty { return nil }
        if ProviderName(text) == nil { return AddProviderWords.badName }
        return taken.contains(text) ? AddProviderWords.nameTaken(text) : nil
    }

    private static func blanks(_ text: String) -> String? { text.contains(" ") ? AddProviderWords.hasBlanks : nil }
}
