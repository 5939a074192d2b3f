import AuthModel
import TerminalUI

/// The fields for a new provider: those that a well-known service needs, or those for a provider given by its address.
struct ProviderForm: Equatable, Sendable {
    enum FieldID: Hashable, Sendable {
        case address, setting(Int), page, client, clientID, secretFile, scopes, name
    }

    /// The chosen service; nil for a provider given by its address.
    let choice: ProviderPresetChoice?
    var form: Form<FieldID>

    init(_ choice: ProviderPresetChoice?, address: String = "") {
        self.choice = choice
        form = Form(Self.address(choice), Self.settings(choice) + Self.others)
        if case .registered? = choice?.client { _ = select(.client, 1) }
        for character in address { form.change(.address) { _ = $0.take(.key(.character(character))) } }
        form.change(.address) { $0.isShown = choice == nil || choice?.place != nil }
        form.change(.page) { $0.isShown = choice?.needsPage == true }
        settle()
        if let first = form.shown.first { form.go(to: first.id) }
    }

    private static func address(_ choice: ProviderPresetChoice?) -> FormField<FieldID> {
        guard let choice else {
            return .text(.address, AddProviderWords.address, help: AddProviderWords.addressHelp, limit: 2000)
        }
        return .text(.address, AddProviderWords.place, help: choice.place.map(help), limit: 2000)
    }

    private static func settings(_ choice: ProviderPresetChoice?) -> [FormField<FieldID>] {
        (choice?.settings ?? []).enumerated().map { index, question in
            .text(.setting(index), question.label ?? AddProviderWords.place, help: help(question), limit: 2000)
        }
    }

    private static func help(_ question: ProviderPresetChoice.Question) -> String {
        guard let fallback = question.fallback else { return AddProviderWords.placeHelp(question.what, question.example) }
        return AddProviderWords.placeHelp(question.what, question.example) + " " + AddProviderWords.emptyMeans(fallback)
    }

    private static var others: [FormField<FieldID>] {
        [
            .text(.page, AddProviderWords.page, help: AddProviderWords.pageHelp, limit: 2000),
            .choice(
                .client, AddProviderWords.client, [AddProviderWords.ownClient, AddProviderWords.registers],
                help: AddProviderWords.clientHelp),
            .text(.clientID, AddProviderWords.clientID),
            .text(.secretFile, AddProviderWords.secretFile, help: AddProviderWords.secretHelp, limit: 4000),
            .text(.scopes, AddProviderWords.scopes, help: AddProviderWords.scopesHelp, limit: 1000),
            .text(.name, AddProviderWords.name, help: AddProviderWords.nameHelp, limit: 64),
        ]
    }

    private mutating func select(_ id: FieldID, _ option: Int) -> Bool {
        form.change(id) { field in
            if case .choice(let options, _) = field.content { field.content = .choice(options, selected: option) }
        }
        return true
    }

    var registers: Bool { form[.client]?.selected == 1 }
    private var namesClient: Bool { choice?.client != .namedByProvider }

    /// Shows the fields that the chosen client needs.
    mutating func settle() {
        let isGiven = namesClient && !registers
        let hasSecret = isGiven && choice?.secret != ProviderPresetChoice.Secret.none
        form.change(.client) { [namesClient] in $0.isShown = namesClient }
        form.change(.clientID) { $0.isShown = isGiven }
        form.change(.secretFile) { $0.isShown = hasSecret }
    }

    /// Checks the fields without a request; returns whether they are valid.
    mutating func validate(taken: Set<String>) -> Bool {
        let choice = choice
        form.validate { field in
            switch field.id {
            case .address: ProviderFieldRules.address(field.text, choice: choice)
            case .setting(let index): ProviderFieldRules.answer(field.text, choice?.settings[index])
            case .page: ProviderFieldRules.page(field.text)
            case .clientID: ProviderFieldRules.clientID(field.text)
            case .secretFile: ProviderFieldRules.secretFile(field.text, choice: choice)
            case .name: ProviderFieldRules.name(field.text, taken: taken)
            case .client, .scopes: nil
            }
        }
        return form.isValid
    }

    /// Returns the user's input. `server` is the chosen authorization server of a resource.
    func draft(server: String?) -> ProviderDraft {
        func optional(_ id: FieldID) -> String? { form[id].flatMap { $0.isShown && !$0.text.isEmpty ? $0.text : nil } }
        let client: ProviderDraft.Client =
            !namesClient ? .namedByProvider : registers ? .register : .identifier(optional(.clientID) ?? "")
        var draft = ProviderDraft(
            preset: choice?.name, address: optional(.address) ?? "", name: optional(.name), client: client,
            secretFile: optional(.secretFile),
            scopes: (optional(.scopes) ?? "").split(separator: " ").map(String.init), authorizationServer: server)
        draft.mode = choice?.mode
        draft.settings = (choice?.settings ?? []).indices.map { optional(.setting($0)) ?? "" }
        draft.page = optional(.page)
        return draft
    }
}

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
