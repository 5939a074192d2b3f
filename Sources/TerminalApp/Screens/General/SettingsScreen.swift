package import AuthModel
import Localization
import TerminalUI

/// The settings that the user can change in the app. Each change is written at once, and nothing else in the configuration changes.
struct SettingsScreen: Screen {
    /// The phase of the screen: Enter on a row opens a choice or a field; Enter or Esc returns to the list.
    enum Phase: Equatable, Sendable {
        case browsing
        case choosing(Setting.ID, selected: Int)
        case typing(Setting.ID, TextFieldContent, problem: String?)
    }

    /// A row of the list.
    enum Row: Equatable, Sendable {
        case setting(Setting)
        /// A provider with its settings, which follow in rows of their own while it is open.
        case provider(ProviderName, [Setting])
    }

    /// The maximum number of glyphs in a field.
    private static let limit = 400

    private(set) var phase = Phase.browsing
    private(set) var selected = 0
    /// The providers whose settings have rows.
    private(set) var opened: Set<ProviderName> = []
    /// The change that is being written.
    private(set) var saving: SettingChange?
    /// The change that could not be written, which the problem screen may write again.
    private var failed: SettingChange?

    init() {}

    /// Creates the screen with the choice of a setting open.
    init(choosing id: Setting.ID) { phase = .choosing(id, selected: 0) }

    static func settings(in model: AppModel) -> [Setting] { model.settings?.settings ?? [] }

    /// Returns the rows of the list: each setting of the app, and each provider.
    func rows(in model: AppModel) -> [Row] {
        let settings = Self.settings(in: model)
        let byProvider = Dictionary(grouping: settings) { $0.id.provider }
        var rows: [Row] = []
        var last: ProviderName?
        for setting in settings {
            if let provider = setting.id.provider {
                if provider != last { rows.append(.provider(provider, byProvider[provider] ?? [])) }
                last = provider
                guard opened.contains(provider) else { continue }
            }
            rows.append(.setting(setting))
        }
        return rows
    }

    func selectedRow(in model: AppModel) -> Row? {
        let rows = rows(in: model)
        return rows.indices.contains(selected) ? rows[selected] : nil
    }

    /// Returns the setting on the selected row; nil on the row of a provider.
    func selection(in model: AppModel) -> Setting? {
        if case .setting(let setting)? = selectedRow(in: model) { setting } else { nil }
    }

    func actions(in model: AppModel) -> [Action] {
        let row = selectedRow(in: model)
        let setting = selection(in: model)
        let obstacle = saving != nil ? SettingsWords.isSaving : row == nil ? SettingsWords.nothingHere : nil
        func keep(_ keys: [Key]) -> Action {
            Action("keep", keys, label: SettingsWords.keyKeep, obstacle: obstacle, run: { $0.keep(in: model) })
        }
        func leave(_ keys: [Key]) -> Action { Action("back", keys, label: SettingsWords.keyLeave, change: { $0.phase = .browsing }) }
        let moves = Movement.actions(label: CommonWords.keyMove) { (screen: inout Self, movement) in screen.move(movement, in: model) }
        switch phase {
        case .browsing:
            let keys: [Key] = [.enter, .right, .character("l"), .character(" ")]
            let change: Action
            if case .provider(let name, _)? = row {
                change = Action(
                    "change", keys, label: opened.contains(name) ? tr("hide settings") : tr("show settings"),
                    help: tr("list the settings of the provider, or hide them"), obstacle: obstacle,
                    change: { $0.opened.formSymmetricDifference([name]) })
            } else {
                change = Action(
                    "change", keys, label: tr("change"), help: tr("change the selected setting"), obstacle: obstacle,
                    run: { screen in setting.map { screen.change($0) } ?? .none })
            }
            return [
                change,
                // Removes the setting from the configuration.
                Action(
                    "reset", [.character("d")], label: tr("reset"),
                    help: tr("remove it from the configuration, so that the default applies"),
                    obstacle: obstacle
                        ?? (setting == nil ? SettingsWords.isProvider : setting?.isSet == false ? SettingsWords.isDefault : nil),
                    run: { screen in setting.map { screen.save(SettingChange($0.id, nil)) } ?? .none }),
                Action("back", [.escape, .left, .character("h")], label: CommonWords.keyBack, result: .back),
            ] + moves
        case .choosing: return [keep([.enter, .right, .character("l")]), leave([.escape, .left, .character("h")])] + moves
        case .typing: return [keep([.enter]), leave([.escape])]
        }
    }

    func traits(in model: AppModel) -> ScreenTraits {
        switch phase {
        case .browsing: ScreenTraits(selectedRow: selected)
        case .choosing(let id, let selected):
            ScreenTraits(selectedRow: selected, previewedTheme: id == .theme ? previewedTheme(selected, in: model) : nil)
        case .typing(let id, let content, _):
            ScreenTraits(
                takesText: saving == nil, plainField: PlainField(label: SettingsWords.name(id), kind: .text(content.text)))
        }
    }

    private func previewedTheme(_ index: Int, in model: AppModel) -> String? {
        guard let options = model.settings?[.theme]?.options, options.indices.contains(index) else { return nil }
        return options[index]
    }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        guard case .row(let row) = element else { return .none }
        if case .choosing(let id, _) = phase { phase = .choosing(id, selected: row) } else { selected = row }
        return .none
    }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        if case .typing(let id, var content, _) = phase {
            content.type(input)
            phase = .typing(id, content, problem: nil)
        }
        return .none
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .settingSaved(let id, let failure) where id == (saving ?? failed)?.id:
            failed = saving ?? failed
            saving = nil
            guard let failure else {
                failed = nil
                phase = .browsing
                return ScreenResult(commands: [.reload], notice: Notice(tr("saved: {1}", SettingsWords.name(id)), .good))
            }
            if case .typing(let id, let content, _) = phase {
                phase = .typing(id, content, problem: Words.line(failure))
                return .none
            }
            phase = .browsing
            let again = failed.map { [Command.saveSetting($0)] } ?? []
            return .open(.problem(Problem(tr("Save the setting"), failure, retry: .run(again))))
        case .settingsRead(.success):
            selected = min(selected, max(0, rows(in: model).count - 1))
        default: break
        }
        return .none
    }

    private mutating func move(_ movement: Movement, in model: AppModel) {
        if case .choosing(let id, let selected) = phase {
            let count = model.settings?[id]?.options.count ?? 0
            phase = .choosing(id, selected: movement.from(selected, count: count, page: count))
        } else {
            selected = movement.from(selected, count: rows(in: model).count, page: max(1, model.size.rows - 9))
        }
    }

    /// Starts changing a setting; a switch changes at once.
    private mutating func change(_ setting: Setting) -> ScreenResult {
        switch setting.value {
        case .flag(let isOn): return save(SettingChange(setting.id, .flag(!isOn)))
        case .word(let word): phase = .choosing(setting.id, selected: setting.options.firstIndex(of: word) ?? 0)
        case .text(let text): phase = .typing(setting.id, TextFieldContent(text, limit: Self.limit), problem: nil)
        case .span(let seconds):
            phase = .typing(setting.id, TextFieldContent(seconds.map(SpanText.written) ?? "", limit: Self.limit), problem: nil)
        }
        return .none
    }

    private mutating func keep(in model: AppModel) -> ScreenResult {
        switch phase {
        case .browsing: return .none
        case .choosing(let id, let selected):
            guard let setting = model.settings?[id], setting.options.indices.contains(selected) else { return .none }
            let word = setting.options[selected]
            guard setting.value != .word(word) else {
                phase = .browsing
                return .none
            }
            return save(SettingChange(id, .word(word)))
        case .typing(let id, let content, _):
            guard let setting = model.settings?[id] else { return .none }
            switch setting.value {
            case .span:
                guard let span = SpanText(content.text) else {
                    let problem = tr(
                        "cannot use \"{1}\": enter 90 s, 15 min, 2 h or 7 d, at most 365 d, or nothing for never", content.text)
                    phase = .typing(id, content, problem: problem)
                    return .none
                }
                return save(SettingChange(id, span.seconds.map { .span($0) }))
            case .text, .flag, .word:
                let text = content.text.split(separator: " ").joined(separator: " ")
                return save(SettingChange(id, text.isEmpty ? nil : .text(text)))
            }
        }
    }

    private mutating func save(_ change: SettingChange) -> ScreenResult {
        saving = change
        return .run(.saveSetting(change))
    }

    static func examples(of session: SessionName, in model: AppModel) -> [SettingsScreen] {
        [SettingsScreen(), SettingsScreen(choosing: .theme)]
    }
}

extension SettingsScreen.Row {
    /// The title of the section that the row belongs to.
    var section: String {
        switch self {
        case .setting(let setting): SettingsWords.section(setting.id)
        case .provider: SettingsWords.providers
        }
    }

    /// The name of the setting or of the provider.
    var title: String {
        switch self {
        case .setting(let setting): SettingsWords.name(setting.id)
        case .provider(let provider, _): provider.text
        }
    }

    /// The name in the list: after a space if the setting is below the row of its provider.
    var name: String {
        if case .setting(let setting) = self, setting.id.provider != nil { "  " + title } else { title }
    }

    /// The settings of the row that the configuration sets.
    var changed: [Setting] {
        switch self {
        case .setting(let setting): setting.isSet ? [setting] : []
        case .provider(_, let settings): settings.filter(\.isSet)
        }
    }

    /// Returns the value of the setting; for a provider, the values that are changed from the default.
    func value(opened: Set<ProviderName>, _ glyphs: GlyphSet) -> String {
        switch self {
        case .setting(let setting): return SettingsWords.value(setting)
        case .provider(let provider, _):
            if opened.contains(provider) { return glyphs.more.down }
            let values = changed.map { "\(SettingsWords.name($0.id)): \(SettingsWords.value($0))" }
            return glyphs.crumb + " " + (values.isEmpty ? tr("defaults") : values.joined(separator: ", "))
        }
    }
}

extension Setting.ID {
    /// The provider that the setting belongs to; nil for one of the app.
    var provider: ProviderName? {
        switch self {
        case .browser(let provider), .isPrivate(let provider), .policy(let provider): provider
        default: nil
        }
    }
}

extension Destination {
    static let settings = Destination(SettingsScreen())
}

/// The texts about the place of the store's key, and about the attacks that it does not protect from.
package enum StoreKeyWords {
    /// Returns two sentences; none if the session service does not tell how the key is kept.
    package static func sentences(_ report: SealReport) -> [String] { report.protection.map { [place($0), limits($0)] } ?? [] }

    private static func place(_ protection: StoreProtection) -> String {
        switch protection {
        case .passphrase: tr("Your passphrase opens the store.")
        case .keyring: tr("The key of your store is in your login keyring.")
        case .tpm(hasHostKey: false): tr("systemd seals the key of your store to this machine, with its TPM.")
        case .tpm(hasHostKey: true): tr("systemd seals the key of your store to this machine, with its TPM and a host key.")
        case .hostKey: tr("systemd seals the key of your store to this machine, with a host key and no TPM.")
        case .unknownMachineKey: tr("systemd seals the key of your store to this machine.")
        case .securityKeys(let count): plural(count, "{1} security key opens your store.", "Each of {1} security keys opens your store.")
        case .keyFile: tr("The key of your store is in a file beside it.")
        case .memory: tr("Your sessions are in memory only.")
        }
    }

    private static func limits(_ protection: StoreProtection) -> String {
        switch protection {
        case .passphrase:
            tr(
                "Not protected: from programs that run as you while the store is unlocked, and from others if the passphrase can be guessed."
            )
        case .keyring:
            tr(
                "Not protected: from programs that run as you while the keyring is unlocked, and from those who have its file and password."
            )
        case .tpm:
            tr(
                "Not protected: from programs that run as you, from root, and from those who start this machine and become you or root."
            )
        case .hostKey:
            tr("Not protected: from programs that run as you, from root, and from those who have a copy of the whole disk.")
        case .unknownMachineKey:
            tr("Not protected: from programs that run as you, from root, and perhaps from those who have a copy of the whole disk.")
        case .securityKeys:
            tr(
                "Not protected: from programs that run as you while the store is unlocked, and from those who have a key and its PIN."
            )
        case .keyFile: tr("Not protected: from programs that run as you, and from those who can read your files.")
        case .memory: tr("Not protected: from programs that run as you.")
        }
    }
}
