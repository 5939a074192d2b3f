import AuthModel
import Localization
public import TerminalUI

/// Every configurable key of the app: for reading the configuration, and for the documentation.
public struct KeyReference: Sendable {
    /// A key's action and help text.
    public struct Entry: Equatable, Sendable {
        /// `sessions`, or ``KeyChanges/everywhere``.
        public let screen: String
        /// `copy-token`.
        public let action: String
        /// The default keys.
        public let keys: [Key]
        /// The help text.
        public let help: String
        /// Whether letters are text on that screen, so that none can be a key.
        public let takesText: Bool
    }

    /// Every configurable action with its keys, by screen.
    public let entries: [Entry]

    /// Creates the table of default keys.
    public init() {
        let model = AppModel(now: Timestamp(milliseconds: 0))
        entries = Self.entries(GlobalActions.table(takesText: false, in: model), on: KeyChanges.everywhere) + Self.screens(model)
    }

    /// The names of the screens, in the order of the table.
    public var screens: [String] { entries.map(\.screen).reduce(into: []) { if $0.last != $1 { $0.append($1) } } }

    /// Returns the names of the actions on a screen whose keys can be changed.
    public func actions(on screen: String) -> [String] {
        entries.filter { $0.screen == screen && GlobalActions.always.isDisjoint(with: $0.keys) }.map(\.action)
    }

    /// Returns the problem with a change; nil if it is valid.
    public func problem(with keys: [Key], for action: String, on screen: String, in changes: KeyChanges) -> String? {
        guard let changed = entries.first(where: { $0.screen == screen && $0.action == action }) else { return nil }
        for key in keys {
            if GlobalActions.always.contains(key) { return "\(key.name) has the same meaning on every screen and cannot be reassigned" }
            if changed.takesText, key.typed != nil {
                return "\(key.name) types text here: use a key with ctrl or alt, or a key that types no text"
            }
            if let other = holder(of: key, beside: changed, in: changes) {
                return "\(key.name) is already the key of \(other.action)\(other.screen == screen ? "" : " on \(other.screen)")"
            }
        }
        return nil
    }

    /// Returns another action that would use the same key at the same time.
    private func holder(of key: Key, beside changed: Entry, in changes: KeyChanges) -> Entry? {
        entries.first { other in
            let meet = other.screen == changed.screen || other.screen == KeyChanges.everywhere || changed.screen == KeyChanges.everywhere
            // A global action appears under the same name on many screens.
            guard meet, other.action != changed.action, !(other.takesText && changed.screen == KeyChanges.everywhere) else { return false }
            return (changes[other.screen, other.action] ?? other.keys).contains(key)
        }
    }

    private static func screens(_ model: AppModel) -> [Entry] {
        guard let provider = ProviderName("provider"), let session = SessionName(provider: provider, account: nil) else { return [] }
        return ScreenRegistry.screens.flatMap { entries(of: $0, for: session, model) }
    }

    /// Returns the keys in all key tables of a screen; an action of several tables appears once.
    private static func entries<S: Screen>(of type: S.Type, for session: SessionName, _ model: AppModel) -> [Entry] {
        type.examples(of: session, in: model).reduce(into: []) { found, screen in
            let known = Set(found.map(\.action))
            let entries = entries(screen.actions(in: model), on: type.name, takesText: screen.traits(in: model).takesText)
            found += entries.filter { !known.contains($0.action) }
        }
    }

    private static func entries<Target>(_ actions: [ScreenAction<Target>], on screen: String, takesText: Bool = false) -> [Entry] {
        actions.map(\.binding).map {
            Entry(screen: screen, action: $0.action, keys: $0.keys, help: $0.help, takesText: takesText)
        }
    }
}

/// The actions of the keys that work on every screen.
enum GlobalActions {
    /// Keys with the same meaning even where letters are text.
    static let always: Set<Key> = [.control("c"), .control("z")]

    /// Returns the global keys with the user's changes.
    static func keys(takesText: Bool, in model: AppModel) -> KeyMap<String> {
        ScreenAction.keys(table(takesText: takesText, in: model), on: KeyChanges.everywhere, takesText: takesText, in: model)
    }

    /// Returns the actions with their default keys.
    ///
    /// - Parameter takesText: whether letters are text on the current screen.
    static func table(takesText: Bool, in model: AppModel) -> [ScreenAction<AppState>] {
        typealias Action = ScreenAction<AppState>
        let interrupts = [
            // Cancels a sign-in in progress, else quits.
            Action(
                "interrupt", [.control("c")], label: takesText ? CommonWords.keyQuit : tr("interrupt"),
                help: tr("cancel a sign-in in progress, or quit"), isHinted: takesText,
                run: { ScreenResult(commands: $0.interrupt() ?? $0.quit()) }),
            Action(
                "suspend", [.control("z")], label: tr("suspend"), help: tr("suspend the program; fg resumes it"), isHinted: false,
                result: .run(.suspend)),
        ]
        let palette = Action(
            "palette", takesText ? [.control("p")] : [.character(":"), .control("p")], label: tr("find"),
            help: tr("find an action, a session or a provider"), result: .open(.palette))
        guard !takesText else { return [palette] + interrupts }
        return [
            Action(
                "switcher", [.character("'")], label: tr("switch"), help: tr("choose an account by its name"), isHinted: false,
                obstacle: model.hasSessions ? nil : tr("there is no session to switch to"), result: .open(.switcher)),
            Action(
                "theme", [.character("t")], label: CommonWords.keyTheme, help: tr("choose a theme, with a preview"),
                isHinted: false, obstacle: model.themes.count < 2 ? tr("there is only one theme") : nil, result: .open(.themes)),
            Action(
                "settings", [.character(",")], label: SettingsWords.key, help: tr("view and change the settings"), isHinted: false,
                obstacle: model.settings == nil ? SettingsWords.cannotChange : nil, result: .open(.settings)),
            // Keeps a session that is waiting to be forgotten.
            Action(
                "undo", [.character("U")], label: tr("undo"), help: tr("undo forgetting the session"),
                isHinted: !model.forgetting.isEmpty,
                obstacle: model.forgetting.isEmpty ? ForgetWords.nothing : nil, change: { $0.undo() }),
            Action(
                "lock", [.character("L")], label: model.isLocked ? CommonWords.keyUnlock : CommonWords.keyLock,
                help: tr("lock the store (wipe its keys from memory), or unlock it"),
                isHinted: model.isLocked,
                result: !model.isLocked ? .run(.lock) : model.seal.needsPassphrase ? .open(.unlock) : .run(.unlock(Secret("")))),
            Action(
                "back", [.escape, .left, .character("h")], label: CommonWords.keyBack, help: tr("go back"), isHinted: false,
                run: { $0.opened.isEmpty ? .say(tr("press q to quit")) : .back }),
            Action(
                "quit", [.character("q")], label: CommonWords.keyQuit, help: tr("quit; a sign-in in progress is cancelled"),
                run: { ScreenResult(commands: $0.quit()) }),
        ] + interrupts + [
            palette,
            Action(
                "help", [.character("?"), .function(1)], label: tr("help"), help: tr("show the keys of this screen"), result: .open(.help)),
        ]
    }
}
