import AuthModel
import Localization
import TerminalUI

/// An action of a screen, as one row of its table: its name, its keys and texts, why it does not work now, and what it does.
///
/// The decoder, the footer, the help page, the palette, plain prompts, and the configuration of keys read the same rows.
struct ScreenAction<Target> {
    /// The name in the configuration, the keys, the texts, and why the action does not work now.
    let binding: KeyBinding<String>
    /// Does the action, and returns the effects that the target requests of the app.
    let run: (inout Target) -> ScreenResult

    /// Creates an action that changes the target and requests effects of the app.
    ///
    /// - Parameters:
    ///   - name: the name in the configuration: `copy-token`. Unique in its table.
    ///   - keys: the default keys; the footer shows the first.
    ///   - label: one or two words for the footer.
    ///   - help: a sentence for the help page. Default: `label`.
    ///   - isHinted: whether the footer shows the action if there is space.
    ///   - obstacle: why the action does not work now, in one line; nil if it works.
    ///   - keepsPlace: whether a card shows the action's button, dim, while it does not work.
    init(
        _ name: String, _ keys: [Key], label: String, help: String? = nil, isHinted: Bool = true, obstacle: String? = nil,
        keepsPlace: Bool = false, run: @escaping (inout Target) -> ScreenResult
    ) {
        binding = KeyBinding(
            keys: keys, action: name, label: label, help: help, isHinted: isHinted, unavailable: obstacle, keepsPlace: keepsPlace)
        self.run = run
    }

    /// Creates an action that only requests effects of the app.
    init(
        _ name: String, _ keys: [Key], label: String, help: String? = nil, isHinted: Bool = true, obstacle: String? = nil,
        keepsPlace: Bool = false, result: @autoclosure @escaping () -> ScreenResult
    ) {
        self.init(
            name, keys, label: label, help: help, isHinted: isHinted, obstacle: obstacle, keepsPlace: keepsPlace,
            run: { _ in result() })
    }

    /// Creates an action that only changes the target.
    init(
        _ name: String, _ keys: [Key], label: String, help: String? = nil, isHinted: Bool = true, obstacle: String? = nil,
        change: @escaping (inout Target) -> Void
    ) {
        self.init(name, keys, label: label, help: help, isHinted: isHinted, obstacle: obstacle) {
            change(&$0)
            return .none
        }
    }
}

extension ScreenAction {
    /// Returns the key table of actions, with the user's changes.
    ///
    /// - Parameters:
    ///   - screen: the screen's name in the configuration.
    ///   - takesText: whether letters are text now.
    static func keys(_ actions: [ScreenAction], on screen: String, takesText: Bool, in model: AppModel) -> KeyMap<String> {
        KeyMap(model.keys.applied(to: actions.map(\.binding), on: screen, takesText: takesText))
    }
}

extension KeyBinding<String> {
    /// Whether the keys move or scroll.
    var isMovement: Bool { action.hasPrefix("move-") || action.hasPrefix("scroll-") }
}

extension Movement {
    /// Returns the actions of the movement keys, which are the same on every screen. The footer shows them once.
    ///
    /// - Parameters:
    ///   - name: the beginning of the actions' names in the configuration.
    ///   - lettersMove: false where letters are text.
    ///   - tabMoves: whether Tab moves through the choices, from the last to the first.
    ///   - obstacle: why nothing moves now.
    static func actions<Target>(
        named name: String = "move", label: String, isHinted: Bool = true, lettersMove: Bool = true, tabMoves: Bool = false,
        obstacle: String? = nil, move: @escaping (inout Target, Movement) -> Void
    ) -> [ScreenAction<Target>] {
        func row(_ movement: Movement, _ suffix: String, _ keys: [Key], _ letters: [Key] = [], help: String? = nil, isHinted: Bool = false)
            -> ScreenAction<Target>
        {
            ScreenAction(
                name + suffix, keys + (lettersMove ? letters : []), label: label, help: help, isHinted: isHinted, obstacle: obstacle,
                change: { move(&$0, movement) })
        }
        let tabs = tabMoves ? [row(.next, "-next", [.tab]), row(.previous, "-previous", [.backTab])] : []
        return [
            row(.down, "-down", [.down], [.character("j")], help: tr("one line down"), isHinted: isHinted),
            row(.up, "-up", [.up], [.character("k")], help: tr("one line up")),
            row(.pageDown, "-page-down", [.pageDown], [.character(" "), .control("f")], help: tr("one page down")),
            row(.pageUp, "-page-up", [.pageUp], [.control("b")], help: tr("one page up")),
            row(.first, "-first", [.home], [.character("g")], help: tr("go to the first line")),
            row(.last, "-last", [.end], [.character("G")], help: tr("go to the last line")),
        ] + tabs
    }

    /// Returns the actions that scroll a text.
    ///
    /// - Parameters:
    ///   - scroll: the first visible line.
    ///   - positions: the number of positions of `scroll`.
    static func scrolling<Target>(
        _ scroll: WritableKeyPath<Target, Int>, positions: @autoclosure @escaping () -> Int, isHinted: Bool = true, in model: AppModel
    ) -> [ScreenAction<Target>] {
        actions(label: CommonWords.keyScroll, isHinted: isHinted) {
            $0[keyPath: scroll] = $1.from($0[keyPath: scroll], count: positions(), page: Frame.bodySize(model.size).rows)
        }
    }
}

/// A change to the stack of open screens.
enum Move: Equatable, Sendable {
    /// Opens a screen above this one.
    case open(Destination)
    /// Replaces this screen.
    case replace(Destination)
    /// Closes this screen.
    case back
    /// Closes this screen, and presses a key on the one below.
    case press(Key)
    /// Closes every screen but the first.
    case home
}

/// A one-line message above the footer.
struct Notice: Equatable, Sendable {
    enum Tone: Equatable, Sendable {
        case plain
        case good
        case warning
    }

    var text: String
    var tone: Tone

    init(_ text: String, _ tone: Tone = .plain) {
        self.text = text
        self.tone = tone
    }
}

/// A screen's response to an input: commands, a navigation, a notice.
struct ScreenResult: Equatable, Sendable {
    var commands: [Command] = []
    var move: Move?
    var notice: Notice?
    /// The title of the palette's entry that led to this.
    var chosen: String?
    /// A session whose row the first screen selects and highlights for a moment.
    var highlighted: SessionName?

    /// No effect.
    static let none = ScreenResult()

    static func run(_ commands: Command...) -> ScreenResult { ScreenResult(commands: commands) }
    static func open(_ destination: Destination) -> ScreenResult { ScreenResult(move: .open(destination)) }
    static func replace(_ destination: Destination) -> ScreenResult { ScreenResult(move: .replace(destination)) }
    static let back = ScreenResult(move: .back)
    static let home = ScreenResult(move: .home)
    static func say(_ text: String, _ tone: Notice.Tone = .plain) -> ScreenResult { ScreenResult(notice: Notice(text, tone)) }
}
