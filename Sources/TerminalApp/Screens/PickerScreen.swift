import AuthModel
import TerminalAppModel
import TerminalUI

/// Chooses where to sign in or sign up, with a filter that takes every typed letter.
struct PickerScreen: FilteredScreen {
    var purpose: SignInRequest.Purpose
    /// The filter's text; an entry must contain each of its words.
    var filter = TextFieldContent(limit: Filter.limit)
    /// The matching entries, cached so that a key press does not search ten thousand of them.
    private(set) var matches: [HomeScreen.Entry]
    /// A provider to select as soon as it is in the list.
    private var added: ProviderName?
    /// The selected row; the one after the last entry adds a provider.
    var selected = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case choose
        case clear
        case beginFilter
    }

    /// Creates the picker.
    ///
    /// - Parameter preferred: the session whose account is selected first.
    init(_ purpose: SignInRequest.Purpose, preferred: SessionName?, in model: AppModel) {
        self.purpose = purpose
        matches = []
        match(in: model)
        if let name = model.demoProvider, preferred == nil {
            selected = matches.firstIndex { $0.provider.name == name } ?? 0
        }
        if let preferred {
            selected =
                matches.firstIndex { $0.provider.name == preferred.provider && $0.account == preferred.account }
                ?? matches.firstIndex { $0.provider.name == preferred.provider } ?? 0
        }
    }

    /// Whether the row for adding a provider is selected.
    var isAddRowSelected: Bool { selected >= matches.count }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(
                Key.enter, action: Action.choose, label: isAddRowSelected ? AddProviderWords.keyNew : PickerWords.key(purpose)),
            KeyBinding(.escape, action: .clear, label: filter.isEmpty ? CommonWords.keyBack : PickerWords.keyClear),
            KeyBinding(.character("/"), action: .beginFilter, label: PickerWords.keyFilter, isHinted: false),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove, lettersMove: false, tabMoves: true)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .move, .clear, .beginFilter: nil
        case .choose where isAddRowSelected: model.presets == nil ? AddProviderWords.cannotAdd : nil
        case .choose: model.isLocked ? LockWords.locked : nil
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement):
            selected = movement.from(selected, count: matches.count + 1, page: max(1, model.size.rows - 8))
        case .choose:
            if isAddRowSelected { return .open(.addProvider) }
            if matches.indices.contains(selected) { return .replace(.signingIn(matches[selected].request)) }
        case .clear:
            guard !filter.isEmpty else { return .back }
            filter.clear()
            match(in: model)
        case .beginFilter:
            // The first `/` starts the filter, as in other lists; a later one may be part of a URL.
            if !filter.isEmpty { return type(.key(.character("/")), in: model) }
        }
        return .none
    }

    var takesText: Bool { true }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .loaded: match(in: model)
        // Selects the provider that was just added.
        case .providerAdded(_, .success(let name)): added = name
        default: break
        }
        return .none
    }

    mutating func match(in model: AppModel) {
        let wanted = Filter(filter.text)
        matches = (model.providers ?? []).flatMap { HomeScreen.entries(of: $0, for: purpose) }.filter { entry in
            wanted.fits(entry.provider.name.text, entry.provider.address, entry.account ?? "")
        }
        selected = min(selected, matches.count)
        if let name = added, let index = matches.firstIndex(where: { $0.provider.name == name }) {
            selected = index
            added = nil
        }
    }

    static func examples(of session: SessionName, in model: AppModel) -> [PickerScreen] {
        [PickerScreen(.signIn, preferred: nil, in: model)]
    }
}

extension PickerScreen {
    /// Opens the picker.
    struct Request: ScreenRequest {
        var purpose: SignInRequest.Purpose
        var preferred: SessionName?

        func screen(in context: inout OpeningContext) -> PickerScreen {
            PickerScreen(purpose, preferred: preferred, in: context.model)
        }
    }
}

extension Destination {
    /// - Parameter preferred: the session whose account is selected first.
    static func picker(_ purpose: SignInRequest.Purpose, preferred: SessionName?) -> Destination {
        Destination(PickerScreen.Request(purpose: purpose, preferred: preferred))
    }
}
