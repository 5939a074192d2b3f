import AuthModel
import TerminalUI

/// Finds by typing whatever can be done on the screen below, and every session and provider.
struct PaletteScreen: Screen {
    /// Something that can be chosen.
    struct Entry: Equatable, Sendable {
        enum Effect: Equatable, Sendable {
            /// What a key of the screen below does.
            case press(Key)
            case go(Destination)
        }

        var title: String
        var keys: [Key] = []
        /// Why it cannot be done now.
        var obstacle: String?
        var effect: Effect
    }

    private let entries: [Entry]
    var filter = TextFieldContent(limit: Filter.limit)
    /// Indices of the entries that fit, kept so that a key need not look through all of them.
    private(set) var matches: [Int]
    private(set) var selected = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case choose
        case back
    }

    /// - Parameter keys: the keys of the screen below and of every screen, as the help has them.
    init(keys: [KeyHint], in world: World) {
        let actions = keys.compactMap { hint in
            hint.keys.first.map { Entry(title: hint.label, keys: hint.keys, obstacle: hint.unavailable, effect: .press($0)) }
        }
        let sessions = (world.sessions ?? []).map { Entry(title: PaletteWords.open($0.name), effect: .go(.session($0.name))) }
        let providers = (world.providers ?? []).map { provider in
            let request = SignInRequest(provider: provider.name)
            return Entry(title: SigningInWords.title(request), effect: .go(.signingIn(request)))
        }
        let locked = world.isLocked ? LockWords.locked : nil
        entries =
            actions
            + (sessions + providers).map { entry in
                var entry = entry
                entry.obstacle = locked
                return entry
            }
        matches = Array(entries.indices)
    }

    /// The entry at a place of the list.
    func entry(at index: Int) -> Entry? { matches.indices.contains(index) ? entries[matches[index]] : nil }

    func markedRow(in world: World) -> Int? { selected }
    mutating func mark(row: Int, in world: World) { selected = row }

    func bindings(in world: World) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, action: Action.choose, label: PaletteWords.keyRun),
            KeyBinding(.escape, .control("p"), action: .back, label: CommonWords.keyBack),
        ] + Movement.bindings(Action.move, label: CommonWords.keyMove, lettersMove: false)
    }

    func obstacle(to action: Action, in world: World) -> String? {
        guard action == .choose else { return nil }
        guard let entry = entry(at: selected) else { return PickerWords.nothingFits }
        return entry.obstacle
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        switch action {
        case .move(let movement): selected = movement.from(selected, count: matches.count, page: max(1, world.size.rows - 6))
        case .back: return .back
        case .choose:
            switch entry(at: selected)?.effect {
            case .press(let key): return Step(move: .press(key))
            case .go(let destination): return .replace(destination)
            case nil: break
            }
        }
        return .none
    }

    var takesText: Bool { true }

    mutating func type(_ input: TextInput, in world: World) -> Step {
        let before = filter.text
        filter.take(input)
        guard filter.text != before else { return .none }
        let wanted = Filter(filter.text)
        matches = entries.indices.filter { wanted.fits(entries[$0].title) }
        selected = 0
        return .none
    }
}
