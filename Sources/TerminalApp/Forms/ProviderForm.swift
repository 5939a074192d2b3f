import AuthModel
import Localization
import TerminalUI

/// The fields for a new provider: those that a well-known service needs, or those for a provider given by its address.
struct ProviderForm: Equatable, Sendable {
    enum FieldID: Hashable, Sendable {
        case address, setting(Int), clientID, secretFile, page, scopes, name, submit
    }

    /// The chosen service; nil for a provider given by its address.
    let choice: ProviderPresetChoice?
    var form: Form<FieldID>

    init(_ choice: ProviderPresetChoice?, address: String = "") {
        self.choice = choice
        form = Form(Self.address(choice), Self.settings(choice) + Self.client(choice) + Self.others)
        for character in address { form.change(.address) { _ = $0.type(.key(.character(character))) } }
        form.change(.address) { $0.isShown = choice == nil || choice?.place != nil }
        form.change(.page) { $0.isShown = choice?.needsPage == true }
        form.change(.clientID) { $0.isShown = choice?.client != .namedByProvider }
        form.change(.secretFile) { $0.isShown = choice?.client != .namedByProvider && choice?.secret != ProviderPresetChoice.Secret.none }
        goToFirstOpenField()
    }

    /// Focuses the first field that the user has to fill in; else the client, which decides what happens; else the button.
    private mutating func goToFirstOpenField() {
        form.go(to: .submit)
        form.go(to: .clientID)
        if let missing = form.missing { form.go(to: missing) }
    }

    private static func address(_ choice: ProviderPresetChoice?) -> FormField<FieldID> {
        let label = choice == nil ? tr("Address") : AddProviderWords.place
        let help = choice == nil ? tr("An https URL; http only for this machine.") : choice?.place.map(help)
        return field(
            .address, label, in: AddProviderWords.provider, isRequired: choice == nil || choice?.place?.fallback == nil,
            placeholder: choice?.place?.fallback ?? "", help: help, limit: 2000)
    }

    private static func settings(_ choice: ProviderPresetChoice?) -> [FormField<FieldID>] {
        (choice?.settings ?? []).enumerated().map { index, question in
            field(
                .setting(index), question.label.map { Words.capitalized(Words.spelled($0)) } ?? AddProviderWords.place,
                in: AddProviderWords.provider, isRequired: question.fallback == nil, placeholder: question.fallback ?? "",
                help: help(question), limit: 2000)
        }
    }

    private static func help(_ question: ProviderPresetChoice.Question) -> String {
        guard let fallback = question.fallback else { return AddProviderWords.placeHelp(question.what, question.example) }
        return AddProviderWords.placeHelp(question.what, question.example) + " " + tr("Empty: {1}.", fallback)
    }

    private static func client(_ choice: ProviderPresetChoice?) -> [FormField<FieldID>] {
        let group = tr("Client")
        let isGiven = choice?.client == .given
        return [
            field(
                .clientID, tr("Client ID"), in: group, isRequired: isGiven,
                placeholder: isGiven ? "" : tr("empty: register a new client"), help: isGiven ? nil : AddProviderWords.clientHelp),
            field(
                .secretFile, tr("Secret file"), in: group, isRequired: choice?.secret == .required,
                help: tr("Only if the provider issued a secret: a file that only you can read."), limit: 4000),
            field(.page, tr("Your page"), in: group, isRequired: true, help: AddProviderWords.pageHelp, limit: 2000),
        ]
    }

    private static var others: [FormField<FieldID>] {
        let group = tr("Options")
        return [
            field(
                .scopes, tr("Scopes"), in: group, placeholder: tr("the provider's default scopes"), help: tr("Separated by spaces."),
                limit: 1000),
            field(
                .name, tr("Local name"), in: group, placeholder: tr("derived from the host"),
                help: tr("The provider's name in Yett and in its commands."),
                limit: 64),
            .button(.submit, tr("Continue")),
        ]
    }

    private static func field(
        _ id: FieldID, _ label: String, in group: String, isRequired: Bool = false, placeholder: String = "", help: String? = nil,
        limit: Int = 500
    ) -> FormField<FieldID> {
        var field = FormField<FieldID>.text(id, label, placeholder: placeholder, help: help, limit: limit)
        field.group = group
        field.isRequired = isRequired
        return field
    }

    private var namesClient: Bool { choice?.client != .namedByProvider }

    /// Whether Yett registers a client: the user names none, and the service may allow it.
    var registers: Bool { namesClient && choice?.client != .given && form[.clientID]?.text.isEmpty == true }

    /// Inserts typed or pasted text into the focused field. Another address may be of a provider that registers clients.
    mutating func type(_ input: TextInput) {
        guard form.type(input), form.focus == .address, choice == nil else { return }
        form.change(.clientID) { ($0.isRequired, $0.problem) = (false, nil) }
    }

    /// Asks for a client, because the provider registers none.
    mutating func askForClient(_ problem: String) {
        form.change(.clientID) { field in
            field.isRequired = true
            field.problem = problem
        }
        form.go(to: .clientID)
    }

    /// Checks the fields without a request; returns whether they are valid.
    mutating func validate(taken: Set<String>) -> Bool {
        let choice = choice
        form.validate { field in
            switch field.id {
            case .address: ProviderFieldRules.address(field.text, choice: choice)
            case .setting(let index): ProviderFieldRules.answer(field.text, choice?.settings[index])
            case .page: ProviderFieldRules.page(field.text)
            case .clientID: field.isRequired && field.text.isEmpty ? AddProviderWords.noClientID : nil
            case .secretFile: field.isRequired && field.text.isEmpty ? AddProviderWords.noSecretFile : nil
            case .name: ProviderFieldRules.name(field.text, taken: taken)
            case .scopes, .submit: nil
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
        WebURL(text).map { $0.origin.scheme == .https && $0.fragment == nil } == true
            ? nil : tr("not an https page: write https://host/path")
    }

    static func name(_ text: String, taken: Set<String>) -> String? {
        if text.isEmpty { return nil }
        if ProviderName(text) == nil { return AddProviderWords.badName }
        return taken.contains(text) ? AddProviderWords.nameTaken(text) : nil
    }

    private static func blanks(_ text: String) -> String? { text.contains(" ") ? AddProviderWords.hasBlanks : nil }
}
