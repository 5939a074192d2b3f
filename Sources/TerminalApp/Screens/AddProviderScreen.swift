import AuthModel
import Localization
import TerminalUI

/// Adds a provider to the configuration: the list of well-known services, the form, the provider's answer, and the confirmation.
struct AddProviderScreen: Screen {
    /// The phase of the screen. A result applies only if its run number is the current one; leaving a run makes its number outdated.
    enum Phase: Equatable, Sendable {
        case searching
        case filling
        case finding(RunID)
        case choosing(of: String, [String], selected: Int)
        case confirming(ProviderOffer)
        case adding(ProviderOffer, RunID)
    }

    enum Action: Hashable, Sendable {
        case form(Form<ProviderForm.FieldID>.Action)
        case move(Movement)
        case choose
        case add
        case copy
        case scroll(Movement)
        /// Returns to the form, to the list, or closes the screen.
        case back
    }

    var list: ServiceList
    var fields = ProviderForm(nil)
    var phase: Phase = .searching
    /// The number of requests so far.
    private var runs = 0
    var scroll = 0

    init(presets: [ProviderPresetChoice]) { list = ServiceList(presets) }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        func back(_ label: String) -> KeyBinding<Action> { KeyBinding(.escape, action: .back, label: label) }
        switch phase {
        case .searching:
            return [
                KeyBinding(.enter, action: .choose, label: AddProviderWords.keyChoose),
                back(list.filter.isEmpty ? CommonWords.keyBack : PickerWords.keyClear),
            ] + Movement.bindings(Action.move, label: CommonWords.keyMove, lettersMove: false, tabMoves: true)
        case .filling:
            let submit = fields.form.isOnLastField ? AddProviderWords.keyFind : FormWords.keyNext
            return Form.bindings(Action.form, submit: submit) + [
                back(CommonWords.keyBack),
                KeyBinding(.pageDown, action: .scroll(.pageDown), label: CommonWords.keyScroll, isHinted: false),
                KeyBinding(.pageUp, action: .scroll(.pageUp), label: CommonWords.keyScroll, isHinted: false),
            ]
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
        case .form, .move, .choose, .add, .scroll: nil
        }
    }

    var takesText: Bool { phase == .filling || phase == .searching }
    func plainField(in model: AppModel) -> PlainField? { phase == .filling ? fields.form.plainField : nil }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        switch phase {
        case .searching: list.take(input)
        case .filling: if fields.form.take(input) { fields.settle() }
        default: break
        }
        return .none
    }

    func selectedRow(in model: AppModel) -> Int? {
        switch phase {
        case .searching: list.selected
        case .choosing(_, _, let selected): selected
        default: nil
        }
    }

    mutating func mark(row: Int, in model: AppModel) {
        switch phase {
        case .searching: list.selected = row
        case .choosing(let resource, let servers, _): phase = .choosing(of: resource, servers, selected: row)
        default: break
        }
    }

    mutating func focus(field: Int, in model: AppModel) {
        guard phase == .filling else { return }
        fields.form.go(toShown: field)
        scroll = 0
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch (action, phase) {
        case (.form(.next), _): moveFocus(by: 1)
        case (.form(.previous), _): moveFocus(by: -1)
        case (.form(.submit), .filling):
            guard fields.form.isOnLastField else {
                moveFocus(by: 1)
                return .none
            }
            scroll = 0
            guard fields.validate(taken: Set((model.providers ?? []).map(\.name.text))) else { return .none }
            return ask(fields.draft(server: nil))
        case (.scroll(let movement), .filling):
            let page = page(in: model)
            scroll = movement.from(
                page.scroll, count: page.document.scrollPositions(in: Frame.bodySize(model.size)), page: max(1, model.size.rows - 6))
        case (.move(let movement), .searching):
            list.selected = movement.from(list.selected, count: list.rows.count, page: max(1, model.size.rows - 8))
        case (.choose, .searching): fill()
        case (.move(let movement), .choosing(let resource, let servers, let selected)):
            phase = .choosing(of: resource, servers, selected: movement.from(selected, count: servers.count, page: servers.count))
        case (.move(let movement), .confirming):
            scroll = movement.from(
                scroll, count: page(in: model).document.scrollPositions(in: Frame.bodySize(model.size)), page: model.size.rows)
        case (.choose, .choosing(_, let servers, let selected)):
            guard servers.indices.contains(selected) else { return .none }
            return ask(fields.draft(server: servers[selected]))
        case (.add, .confirming(let offer)):
            runs += 1
            let run = RunID(number: runs)
            phase = .adding(offer, run)
            return .run(.addProvider(offer, run))
        case (.copy, .confirming(let offer)): return offer.redirects.first.map { .run(.copyText($0)) } ?? .none
        case (.back, .searching):
            guard !list.filter.isEmpty else { return .back }
            list.clear()
        case (.back, .filling):
            phase = .searching
            scroll = 0
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
        case .searching, .filling, .choosing, .confirming: false
        }
    }

    /// Opens the form for the selected row.
    private mutating func fill() {
        guard list.rows.indices.contains(list.selected) else { return }
        // What was typed for the same service stays.
        switch list.rows[list.selected] {
        case .address(let text): if fields.choice != nil || !text.isEmpty { fields = ProviderForm(nil, address: text) }
        case .service(let choice): if fields.choice != choice { fields = ProviderForm(choice) }
        }
        phase = .filling
        scroll = 0
    }

    private mutating func moveFocus(by step: Int) {
        fields.form.move(by: step)
        scroll = 0
    }

    private mutating func ask(_ draft: ProviderDraft) -> ScreenResult {
        runs += 1
        let run = RunID(number: runs)
        phase = .finding(run)
        return .run(.findProvider(draft, run))
    }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        let obstacle = model.presets == nil ? AddProviderWords.cannotAdd : nil
        return [PaletteScreen.Entry(title: AddProviderWords.helpNew, obstacle: obstacle, effect: .open(.addProvider))]
    }
}

extension AddProviderScreen {
    /// Opens the form.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> AddProviderScreen { AddProviderScreen(presets: context.model.presets?.all ?? []) }
    }
}

extension Destination {
    static let addProvider = Destination(AddProviderScreen.Request())
}
