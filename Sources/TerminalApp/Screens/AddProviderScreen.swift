import AuthModel
import TerminalAppModel
import TerminalUI

/// Adds a provider to the configuration: the form, the provider's answer, and the confirmation.
struct AddProviderScreen: Screen {
    /// The phase of the screen. A result applies only if its run number is the current one; leaving a run makes its number outdated.
    enum Phase: Equatable, Sendable {
        case filling
        case finding(RunID)
        case choosing(of: String, [String], selected: Int)
        case confirming(ProviderOffer)
        case adding(ProviderOffer, RunID)
    }

    enum FieldID: Hashable, Sendable {
        case preset, address, client, clientID, secretFile, scopes, name
    }

    enum Action: Hashable, Sendable {
        case form(Form<FieldID>.Action)
        case move(Movement)
        case choose
        case add
        case copy
        /// Returns to the form, or closes the screen.
        case back
    }

    let presets: [ProviderPresetChoice]
    var form: Form<FieldID>
    var phase: Phase = .filling
    /// The number of requests so far.
    private var runs = 0
    var scroll = 0

    init(presets: [ProviderPresetChoice]) {
        typealias Field = FormField<FieldID>
        self.presets = presets
        form = Form(
            Field.choice(.preset, AddProviderWords.provider, [AddProviderWords.byAddress] + presets.map(\.name)),
            Field.text(.address, AddProviderWords.address, help: AddProviderWords.addressHelp, limit: 2000),
            Field.choice(
                .client, AddProviderWords.client, [AddProviderWords.ownClient, AddProviderWords.registers],
                help: AddProviderWords.clientHelp),
            Field.text(.clientID, AddProviderWords.clientID),
            Field.text(.secretFile, AddProviderWords.secretFile, help: AddProviderWords.secretHelp, limit: 4000),
            Field.text(.scopes, AddProviderWords.scopes, help: AddProviderWords.scopesHelp, limit: 1000),
            Field.text(.name, AddProviderWords.name, help: AddProviderWords.nameHelp, limit: 64))
        settle()
        form.go(to: .address)
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        func back(_ label: String) -> KeyBinding<Action> { KeyBinding(.escape, action: .back, label: label) }
        switch phase {
        case .filling:
            let submit = form.isOnLastField ? AddProviderWords.keyFind : FormWords.keyNext
            return Form.bindings(Action.form, submit: submit) + [back(CommonWords.keyBack)]
        case .finding: return [back(AddProviderWords.keyStop)]
        case .choosing:
            return [KeyBinding(.enter, action: .choose, label: AddProviderWords.keyChoose), back(CommonWords.keyBack)]
                + Movement.bindings(Action.move, label: CommonWords.keyMove, tabMoves: true)
        case .confirming:
            return [
                KeyBinding(.enter, action: .add, label: AddProviderWords.keyAdd), back(AddProviderWords.keyChange),
                KeyBinding(.character("c"), action: .copy, label: AddProviderWords.keyCopy),
            ] + Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: false)
        case .adding: return [back(AddProviderWords.keyStop)]
        }
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .back: if case .adding = phase { AddProviderWords.stillWorking } else { nil }
        case .copy: if case .confirming(let offer) = phase, offer.redirects.isEmpty { AddProviderWords.noRedirect } else { nil }
        case .form, .move, .choose, .add: nil
        }
    }

    var takesText: Bool { phase == .filling }
    func plainField(in model: AppModel) -> PlainField? { phase == .filling ? form.plainField : nil }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        guard phase == .filling, form.take(input) else { return .none }
        settle()
        return .none
    }

    func selectedRow(in model: AppModel) -> Int? {
        if case .choosing(_, _, let selected) = phase { selected } else { nil }
    }

    mutating func mark(row: Int, in model: AppModel) {
        if case .choosing(let resource, let servers, _) = phase { phase = .choosing(of: resource, servers, selected: row) }
    }

    mutating func focus(field: Int, in model: AppModel) {
        if phase == .filling { form.go(toShown: field) }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch (action, phase) {
        case (.form(.next), _): form.move(by: 1)
        case (.form(.previous), _): form.move(by: -1)
        case (.form(.submit), .filling):
            guard form.isOnLastField else {
                form.move(by: 1)
                return .none
            }
            return find(in: model)
        case (.move(let movement), .choosing(let resource, let servers, let selected)):
            phase = .choosing(of: resource, servers, selected: movement.from(selected, count: servers.count, page: servers.count))
        case (.move(let movement), .confirming):
            scroll = movement.from(
                scroll, count: page(in: model).document.scrollPositions(in: Frame.bodySize(model.size)), page: model.size.rows)
        case (.choose, .choosing(_, let servers, let selected)):
            guard servers.indices.contains(selected) else { return .none }
            return ask(draft(server: servers[selected]))
        case (.add, .confirming(let offer)):
            runs += 1
            let run = RunID(number: runs)
            phase = .adding(offer, run)
            return .run(.addProvider(offer, run))
        case (.copy, .confirming(let offer)): return offer.redirects.first.map { .run(.copyText($0)) } ?? .none
        case (.back, .filling): return .back
        case (.back, _):
            phase = .filling
            scroll = 0
        default: break
        }
        return .none
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch (message, phase) {
        case (.providerFound(let answered, let result), .finding(let run)) where answered == run: return take(result)
        case (.providerAdded(let answered, let result), .adding(let offer, let run)) where answered == run:
            switch result {
            case .success(let name):
                return ScreenResult(commands: [.reload], move: .back, notice: Notice(AddProviderWords.added(name), .good))
            case .failure(let failure):
                phase = .confirming(offer)
                return .open(.problem(Problem(AddProviderWords.addTitle, failure)))
            }
        default: return .none
        }
    }

    private mutating func take(_ result: Result<ProviderFinding, AuthFailure>) -> ScreenResult {
        scroll = 0
        switch result {
        case .success(.offer(let offer)): phase = .confirming(offer)
        case .success(.servers(let resource, let servers)): phase = .choosing(of: resource, servers, selected: 0)
        case .failure(let failure):
            phase = .filling
            return .open(.problem(Problem(AddProviderWords.findTitle, failure)))
        }
        return .none
    }

    func needsTicks(in model: AppModel) -> Bool {
        switch phase {
        case .finding, .adding: true
        case .filling, .choosing, .confirming: false
        }
    }

    // MARK: The form

    /// The chosen preset.
    private var preset: ProviderPresetChoice? {
        let index = (form[.preset]?.selected ?? 0) - 1
        return presets.indices.contains(index) ? presets[index] : nil
    }

    private var registers: Bool { form[.client]?.selected == 1 }

    /// Shows the fields that the choices need.
    private mutating func settle() {
        let preset = preset
        form.change(.address) { field in
            field.isShown = preset?.address != .known
            field.help =
                if case .own(let what, let example, let fallback) = preset?.address {
                    AddProviderWords.placeHelp(what, fallback ?? example)
                } else {
                    AddProviderWords.addressHelp
                }
        }
        let hasClient = preset?.choosesClient != true
        form.change(.client) { $0.isShown = hasClient }
        let isGiven = hasClient && !registers
        form.change(.clientID) { $0.isShown = isGiven }
        form.change(.secretFile) { $0.isShown = isGiven }
    }

    private mutating func find(in model: AppModel) -> ScreenResult {
        let preset = preset
        let names = Set((model.providers ?? []).map(\.name.text))
        form.validate { field in
            switch field.id {
            case .address: ProviderFieldRules.address(field.text, preset: preset)
            case .clientID: ProviderFieldRules.clientID(field.text)
            case .name: ProviderFieldRules.name(field.text, taken: names)
            case .preset, .client, .secretFile, .scopes: nil
            }
        }
        return form.isValid ? ask(draft(server: nil)) : .none
    }

    private mutating func ask(_ draft: ProviderDraft) -> ScreenResult {
        runs += 1
        let run = RunID(number: runs)
        phase = .finding(run)
        return .run(.findProvider(draft, run))
    }

    private func draft(server: String?) -> ProviderDraft {
        func optional(_ id: FieldID) -> String? { form[id].flatMap { $0.isShown && !$0.text.isEmpty ? $0.text : nil } }
        let client: ProviderDraft.Client =
            preset?.choosesClient == true ? .namedByProvider : registers ? .register : .identifier(optional(.clientID) ?? "")
        return ProviderDraft(
            preset: preset?.name, address: optional(.address) ?? "", name: optional(.name), client: client,
            secretFile: optional(.secretFile),
            scopes: (optional(.scopes) ?? "").split(separator: " ").map(String.init), authorizationServer: server)
    }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        let obstacle = model.presets == nil ? AddProviderWords.cannotAdd : nil
        return [PaletteScreen.Entry(title: AddProviderWords.helpNew, obstacle: obstacle, effect: .open(.addProvider))]
    }
}

extension AddProviderScreen {
    /// Opens the form.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> AddProviderScreen { AddProviderScreen(presets: context.model.presets ?? []) }
    }
}

extension Destination {
    static let addProvider = Destination(AddProviderScreen.Request())
}
