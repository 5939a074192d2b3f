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
        /// The provider is written, and the sign-in starts as soon as the session service knows it.
        case added(ProviderName)
    }

    var list: ServiceList
    var fields = ProviderForm(nil)
    var phase: Phase = .searching
    /// The number of requests so far.
    private var runs = 0
    var scroll = 0
    /// Whether the user also signs in or up at the provider that is being added.
    private var signsIn = true
    /// The user's next step at the provider once it is added.
    private let purpose: SignInRequest.Purpose

    /// - Parameters:
    ///   - typed: the name or address that the user has typed already.
    ///   - purpose: the user's next step at the provider once it is added.
    init(presets: [ProviderPresetChoice], typed: String = "", then purpose: SignInRequest.Purpose = .signIn) {
        list = ServiceList(presets, typed: typed)
        self.purpose = purpose
    }

    func actions(in model: AppModel) -> [Action] {
        func back(_ label: String, obstacle: String? = nil, run: @escaping (inout Self) -> ScreenResult) -> Action {
            Action("back", [.escape], label: label, obstacle: obstacle, run: run)
        }
        func toForm(_ label: String, obstacle: String? = nil) -> Action {
            back(label, obstacle: obstacle) { screen in
                (screen.phase, screen.scroll) = (.filling, 0)
                return .none
            }
        }
        func choose(_ run: @escaping (inout Self) -> ScreenResult) -> Action {
            Action("choose", [.enter], label: CommonWords.keyChoose, run: run)
        }
        switch phase {
        case .searching:
            return [
                choose { screen in
                    screen.fill()
                    return .none
                },
                back(list.filter.isEmpty ? CommonWords.keyBack : PickerWords.keyClear) { screen in
                    guard !screen.list.filter.isEmpty else { return .back }
                    screen.list.clear()
                    return .none
                },
            ]
                + Movement.actions(label: CommonWords.keyMove, lettersMove: false, tabMoves: true) {
                    $0.list.selected = $1.from($0.list.selected, count: $0.list.rows.count, page: max(1, model.size.rows - 8))
                }
        case .filling:
            func scroll(_ movement: Movement, _ name: String, _ key: Key) -> Action {
                Action(name, [key], label: CommonWords.keyScroll, isHinted: false, change: { $0.scrollForm(movement, in: model) })
            }
            let submit = fields.form.missing == nil ? tr("continue") : FormWords.keyNext
            return Form.actions(submit: submit) { (screen: inout Self, action) in screen.handle(action, in: model) } + [
                back(CommonWords.keyBack) { screen in
                    (screen.phase, screen.scroll) = (.searching, 0)
                    return .none
                },
                scroll(.pageDown, "scroll-page-down", .pageDown), scroll(.pageUp, "scroll-page-up", .pageUp),
            ]
        case .finding: return [toForm(CommonWords.keyCancel)]
        case .choosing(let resource, let servers, let selected):
            return [
                choose { screen in servers.indices.contains(selected) ? screen.ask(screen.fields.draft(server: servers[selected])) : .none
                },
                toForm(CommonWords.keyBack),
            ]
                + Movement.actions(label: CommonWords.keyMove, tabMoves: true) {
                    $0.phase = .choosing(of: resource, servers, selected: $1.from(selected, count: servers.count, page: servers.count))
                }
        case .confirming(let offer):
            return [
                Action(
                    "add", [.enter], label: AddProviderWords.keyAdd, help: tr("add the provider and sign in there"),
                    run: { $0.add(offer, signsIn: model.lockObstacle == nil) }),
                Action("only-add", [.character("a")], label: tr("only add"), run: { $0.add(offer, signsIn: false) }),
                toForm(tr("change")),
                Action(
                    "copy", [.character("c")], label: tr("copy redirect"),
                    obstacle: offer.redirects.isEmpty ? tr("no redirect URI to copy") : nil,
                    result: offer.redirects.first.map { .run(.copyText($0)) } ?? .none),
            ]
                + Movement.actions(label: CommonWords.keyScroll, isHinted: false) {
                    let positions = $0.page(in: model).document.scrollPositions(in: Self.pageSize(in: model))
                    $0.scroll = $1.from($0.scroll, count: positions, page: model.size.rows)
                }
        case .adding: return [toForm(CommonWords.keyCancel, obstacle: tr("waiting for the provider"))]
        case .added: return [back(CommonWords.keyBack) { _ in .back }]
        }
    }

    /// Returns the action that opens this screen from another one.
    static func action<Target>(isHinted: Bool = true, in model: AppModel) -> ScreenAction<Target> {
        ScreenAction(
            "add-provider", [.character("n")], label: AddProviderWords.keyNew, help: AddProviderWords.helpNew, isHinted: isHinted,
            obstacle: model.presets == nil ? AddProviderWords.cannotAdd : nil, result: .open(.addProvider))
    }

    func traits(in model: AppModel) -> ScreenTraits {
        switch phase {
        case .searching: ScreenTraits(takesText: true, selectedRow: list.selected)
        case .filling: ScreenTraits(takesText: true, plainField: fields.form.plainField)
        case .choosing(_, _, let selected): ScreenTraits(selectedRow: selected)
        case .confirming: ScreenTraits()
        case .finding, .adding, .added: ScreenTraits(needsTicks: true)
        }
    }

    private mutating func handle(_ action: Form<ProviderForm.FieldID>.Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .previous: moveFocus(by: -1)
        case .next: moveFocus(by: 1)
        case .submit:
            scroll = 0
            // Plain prompts show one field at a time, so they ask for each.
            if model.isPlain, fields.form.focus != .submit, fields.form.focus != .name {
                moveFocus(by: 1)
                return .none
            }
            // Enter leads through the fields that are still missing, and then submits the form from every field.
            if let missing = fields.form.missing, missing != fields.form.focus, fields.form.focus != .submit {
                fields.form.go(to: missing)
                return .none
            }
            guard fields.validate(taken: Set((model.providers ?? []).map(\.name.text))) else { return .none }
            return ask(fields.draft(server: nil))
        }
        return .none
    }

    private mutating func scrollForm(_ movement: Movement, in model: AppModel) {
        let page = page(in: model)
        scroll = movement.from(
            page.scroll, count: page.document.scrollPositions(in: Self.pageSize(in: model)), page: max(1, model.size.rows - 6))
    }

    private mutating func add(_ offer: ProviderOffer, signsIn: Bool) -> ScreenResult {
        self.signsIn = signsIn
        runs += 1
        let run = RunID(number: runs)
        phase = .adding(offer, run)
        return .run(.addProvider(offer, run))
    }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        switch phase {
        case .searching: list.type(input)
        case .filling: fields.type(input)
        default: break
        }
        return .none
    }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        switch (element, phase) {
        case (.row(let row), .searching): list.selected = row
        case (.row(let row), .choosing(let resource, let servers, _)): phase = .choosing(of: resource, servers, selected: row)
        case (.field(let field), .filling):
            fields.form.go(toShown: field)
            scroll = 0
            if fields.form.focus == .submit { return handle(.submit, in: model) }
        default: break
        }
        return .none
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch (message, phase) {
        case (.providerFound(let answered, let result), .finding(let run)) where answered == run: return finishSearch(with: result)
        case (.providerAdded(let answered, let result), .adding(let offer, let run)) where answered == run:
            switch result {
            case .success(let name):
                phase = .added(name)
                return ScreenResult(
                    commands: [.reload], move: signsIn ? nil : .back, notice: Notice(tr("added {1}", name), .good))
            case .failure(let failure):
                phase = .confirming(offer)
                return .open(.problem(Problem(tr("Add the provider"), failure, retry: .press(.enter))))
            }
        case (.loaded, .added(let name)):
            guard let provider = model.provider(name) else { return .none }
            // Where there is no page for a new account, signing in is what is left.
            let request = SignInChoice.all(of: provider, for: purpose).first?.request ?? SignInRequest(provider: name)
            return .replace(.signingIn(request))
        default: return .none
        }
    }

    private mutating func finishSearch(with result: Result<ProviderFinding, AuthFailure>) -> ScreenResult {
        scroll = 0
        switch result {
        case .success(.offer(let offer)): phase = .confirming(offer)
        case .success(.servers(let resource, let servers)): phase = .choosing(of: resource, servers, selected: 0)
        case .failure(let failure):
            phase = .filling
            guard failure.message.code != Self.registersNoClient else {
                fields.askForClient(Words.line(failure))
                return .none
            }
            return .open(.problem(Problem(tr("Look up the provider"), failure, retry: .press(.enter))))
        }
        return .none
    }

    /// The failure of a server that registers no clients.
    private static let registersNoClient = "registration.not_supported_by_host"

    /// Opens the form for the selected row.
    private mutating func fill() {
        guard let form = offeredForm else { return }
        fields = form
        phase = .filling
        scroll = 0
    }

    /// The form for the selected row. What was typed for the same service stays.
    var offeredForm: ProviderForm? {
        guard list.rows.indices.contains(list.selected) else { return nil }
        switch list.rows[list.selected] {
        case .address(let text): return fields.choice != nil || !text.isEmpty ? ProviderForm(nil, address: text) : fields
        case .service(let choice): return fields.choice != choice ? ProviderForm(choice) : fields
        }
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
        return [
            PaletteScreen.Entry(
                title: AddProviderWords.helpNew, verb: AddProviderWords.keyNew, label: AddProviderWords.keyNew, obstacle: obstacle,
                effect: .open(.addProvider))
        ]
    }

    /// Opens the form.
    struct Request: ScreenRequest {
        var typed = ""
        var purpose = SignInRequest.Purpose.signIn

        func screen(in context: inout OpeningContext) -> AddProviderScreen {
            AddProviderScreen(presets: context.model.presets?.all ?? [], typed: typed, then: purpose)
        }
    }
}

extension Destination {
    static let addProvider = Destination(AddProviderScreen.Request())

    /// - Parameters:
    ///   - typed: the name or address that the user has typed already.
    ///   - purpose: the user's next step at the provider once it is added.
    static func addProvider(typed: String, then purpose: SignInRequest.Purpose) -> Destination {
        Destination(AddProviderScreen.Request(typed: typed, purpose: purpose))
    }
}
