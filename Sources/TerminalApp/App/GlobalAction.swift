import TerminalAppModel
import TerminalUI

/// The actions of the global keys.
enum GlobalAction: Hashable, Sendable {
    case help
    /// Opens the palette, which finds an action by typing.
    case palette
    /// Opens the switcher, which finds an account by typing.
    case switcher
    case theme
    case settings
    /// Keeps a session that is waiting to be forgotten.
    case undo
    case lock
    case quit
    case back
    /// Cancels a sign-in in progress, else quits.
    case interrupt
    case suspend

    /// Keys with the same meaning even where letters are text.
    static let always: Set<Key> = [.control("c"), .control("z")]

    /// Returns the global keys with the user's changes.
    static func bindings(takesText: Bool, in model: AppModel) -> KeyMap<GlobalAction> {
        KeyMap(model.keys.applied(to: table(takesText: takesText, in: model), on: KeyChanges.everywhere, takesText: takesText))
    }

    /// Returns the default global keys.
    ///
    /// - Parameter takesText: whether letters are text on the current screen.
    static func table(takesText: Bool, in model: AppModel) -> [KeyBinding<GlobalAction>] {
        let interrupts = [
            KeyBinding(
                Key.control("c"), action: GlobalAction.interrupt, label: CommonWords.keyQuit, help: CommonWords.helpInterrupt,
                isHinted: takesText),
            KeyBinding(.control("z"), action: .suspend, label: CommonWords.keySuspend, help: CommonWords.helpSuspend, isHinted: false),
        ]
        let palette = KeyBinding(
            keys: takesText ? [.control("p")] : [.character(":"), .control("p")], action: GlobalAction.palette, label: PaletteWords.key,
            help: PaletteWords.help, isHinted: false)
        guard !takesText else { return [palette] + interrupts }
        return [
            palette,
            KeyBinding(
                .character("'"), action: .switcher, label: SwitcherWords.key, help: SwitcherWords.help, isHinted: false,
                unavailable: model.hasSessions ? nil : SwitcherWords.noSession),
            KeyBinding(
                .character("t"), action: .theme, label: CommonWords.keyTheme, help: CommonWords.helpTheme,
                unavailable: model.themes.count < 2 ? CommonWords.oneTheme : nil),
            KeyBinding(
                .character(","), action: .settings, label: SettingsWords.key, help: SettingsWords.help, isHinted: false,
                unavailable: model.settings == nil ? SettingsWords.cannotChange : nil),
            KeyBinding(
                .character("U"), action: .undo, label: ForgetWords.key, help: ForgetWords.help, isHinted: !model.forgetting.isEmpty,
                unavailable: model.forgetting.isEmpty ? ForgetWords.nothing : nil),
            KeyBinding(
                .character("L"), action: .lock, label: model.isLocked ? CommonWords.keyUnlock : CommonWords.keyLock,
                help: CommonWords.helpLock),
            KeyBinding(
                .escape, .left, .character("h"), action: .back, label: CommonWords.keyBack, help: CommonWords.helpBack, isHinted: false),
            KeyBinding(.character("q"), action: .quit, label: CommonWords.keyQuit, help: CommonWords.helpQuit),
        ] + interrupts + [
            KeyBinding(.character("?"), .function(1), action: .help, label: CommonWords.keyHelp, help: CommonWords.helpHelp)
        ]
    }
}
