import AuthModel
import TerminalAppModel

/// Checks of the fields that need no request to the provider.
enum ProviderFieldRules {
    static func address(_ text: String, preset: ProviderPresetChoice?) -> String? {
        if case .own(let what, _, let fallback) = preset?.address {
            return text.isEmpty && fallback == nil ? AddProviderWords.headerConflict(what) : blanks(text)
        }
        if text.isEmpty { return AddProviderWords.noAddress }
        if let problem = blanks(text) { return problem }
        guard let url = WebURL(text.contains("://") ? text : "https://" + text) else { return AddProviderWords.notAnAddress }
        return url.isRequestable ? nil : AddProviderWords.notProtected
    }

    static func clientID(_ text: String) -> String? { text.isEmpty ? AddProviderWords.noClientID : nil }

    static func name(_ text: String, taken: Set<String>) -> String? {
        if text.isEmpty { return nil }
        if ProviderName(text) == nil { return AddProviderWords.badName }
        return taken.contains(text) ? AddProviderWords.nameTaken(text) : nil
    }

    private static func blanks(_ text: String) -> String? { text.contains(" ") ? AddProviderWords.hasBlanks : nil }
}
