import AuthModel
import Localization
import TerminalUI

/// The app's whole state as one value. It contains a token only while a screen shows it, as a `Secret`, and a typed passphrase only inside
/// its field.
struct AppState: Equatable, Sendable {
    var model: AppModel
    /// The first screen: home, the guide, or the sessions once there are some.
    var home = OpenScreen(HomeScreen())
    /// The screens above the first one; the last one is visible.
    var opened: [OpenScreen] = []
    var notice: Notice?
    /// The session to open once the sessions are known.
    var opensFirst: SessionName?
    /// Keys that were pressed before the first screen was known.
    var earlyKeys: [Key] = []
    /// Whether to start the demo after the app ends.
    var wantsDemo = false
    /// Whether the user was warned that a session is not forgotten yet if the app quits now.
    var hasWarnedOfPendingForgets = false
    /// When the next notice of a session's end is due.
    var noticeDueAt: Timestamp?
    /// The time of the last tick, from which the next one is counted.
    var tickedAt: Timestamp
    /// When the store was unlocked, while the gate lifts.
    var unlockedAt: Timestamp?
    /// The number of sign-ins started.
    var runs = 0
    /// The themes, in the order of the model's theme names.
    private(set) var themes: [Theme]
    /// The configured theme when the settings were last read.
    private var settledTheme: String
    /// The warning from the settings when they were last read.
    private var warning: Notice?
    /// The theme from before the app followed the terminal's colour scheme; nil if it follows none.
    private var ownTheme: String?
    /// Themes that the user chose here and that are still being saved. A late read of an older setting must not change the theme.
    private var chosenThemes: Set<String> = []

    /// Creates the initial state.
    ///
    /// - Parameter presets: the provider presets that can be added; nil if providers cannot be added from here.
    init(_ settings: TerminalAppSettings, now: Timestamp, presets: ServiceChoices? = nil) {
        tickedAt = now
        themes = [.uncoloured]
        settledTheme = settings.theme
        model = AppModel(now: now, presets: presets)
        setThemes(settings.themes, selected: settings.theme)
        applyOthers(of: settings)
    }

    /// Applies new settings. The theme in use stays if its file is invalid for a moment, while it is being written.
    mutating func apply(_ settings: TerminalAppSettings) {
        let isStandIn = !model.themes.contains(settledTheme)
        let isChosenHere = chosenThemes.contains(settings.theme) || settings.theme == settledTheme && !isStandIn
        let wanted = isChosenHere ? model.themeName : settings.theme
        let kept = settings.themes.contains { $0.name == wanted } ? [] : themes.filter { $0.name == wanted }
        if wanted != model.themeName { ownTheme = nil }
        setThemes(settings.themes + kept, selected: wanted)
        if settings.theme == model.themeName { chosenThemes = [] }
        settledTheme = settings.theme
        applyOthers(of: settings)
    }

    /// Applies the settings other than the theme.
    private mutating func applyOthers(of settings: TerminalAppSettings) {
        model.asksGuests = settings.asksGuests
        model.language = settings.language
        model.keys = settings.keys
        model.settings = settings.sheet
        model.usesMouse = settings.usesMouse
        model.localTime = settings.localTime
        model.motion = settings.motion
        warn(settings.warnings)
    }

    /// Selects the theme with that name, if it exists.
    mutating func choose(theme name: String) {
        guard let index = model.themes.firstIndex(of: name) else { return }
        model.theme = index
        ownTheme = nil
        chosenThemes.insert(model.themeName)
    }

    /// Selects the light or dark partner of the theme, as the terminal's colours are now, without saving it. The user's own theme returns
    /// with its colours.
    mutating func follow(isLight: Bool) {
        guard themes.indices.contains(model.theme), themes[model.theme].hasLightGround != isLight else { return }
        let current = themes[model.theme]
        let wanted = [ownTheme, current.partner].compactMap(\.self)
        guard let index = themes.firstIndex(where: { wanted.contains($0.name) && $0.hasLightGround == isLight }) else { return }
        model.theme = index
        ownTheme = ownTheme == themes[index].name ? nil : ownTheme ?? current.name
    }

    /// The theme to draw with: the selected one, or the one in preview.
    var displayedTheme: Theme {
        let previewed = currentTraits.previewedTheme
        let index = previewed.map { model.themes.firstIndex(of: $0) } ?? model.theme
        return index.flatMap { themes.indices.contains($0) ? themes[$0] : nil } ?? .uncoloured
    }

    private mutating func setThemes(_ themes: [Theme], selected name: String) {
        let themes = themes.isEmpty ? [.uncoloured] : themes
        self.themes = themes
        model.themes = themes.map(\.name)
        model.themeSummaries = Dictionary(themes.map { ($0.name, $0.summary) }) { first, _ in first }
        model.theme = themes.firstIndex { $0.name == name } ?? 0
    }

    private mutating func warn(_ warnings: [String]) {
        // Clears the old warning, which may be fixed.
        if notice == warning { notice = nil }
        warning = warnings.first.map { first in
            let more = warnings.count - 1
            return Notice(more > 0 ? tr("{1} (and {2} more: yett doctor)", first, more) : first, .warning)
        }
        if let warning { notice = warning }
    }

    /// The visible screen, which has the keyboard focus.
    var current: OpenScreen { opened.last ?? home }

    /// The highest screen below the visible one that fills the whole area, for a card to be above.
    var below: OpenScreen {
        opened.dropLast().last { $0.screen.traits(in: model).box == nil } ?? home
    }

    /// The traits of the visible screen.
    var currentTraits: ScreenTraits { current.screen.traits(in: model) }

    /// Whether the screen needs a tick every second.
    var needsTick: Bool { model.isPlain ? current.screen.ticksAsPlainPrompts : currentTraits.needsTicks }

    /// The title of the terminal's window: the program, and the number of sessions that need the user.
    var title: String {
        let attention = model.overview.needsAction
        return attention > 0 ? "\(Words.program) \(Words.glyph(.needsSignIn, model.glyphs))\(attention)" : Words.program
    }

    /// The titles of the open screens; adjacent equal titles appear once.
    var trail: [String] {
        ([home] + opened).map { $0.screen.title(in: model) }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The hints for the global keys that the visible screen does not use for something else.
    var globalHints: [KeyHint] {
        let own = current.screen.keys(in: model)
        let named = Set(own.hints.map(\.label))
        return globalKeys.hints.filter { hint in !named.contains(hint.label) && hint.keys.allSatisfy { own.decide($0) == .unbound } }
    }

    var globalKeys: KeyMap<String> { GlobalActions.keys(takesText: currentTraits.takesText, in: model) }

    /// The time of a frame of an animation: eight of them in a second.
    static let frameTime = Duration.milliseconds(125)

    /// The maximum time from the last tick to the next one; nil for none.
    ///
    /// A tick comes as often as something on the screen changes with the time: an animation, a countdown, or only the clock in the header.
    var nextTick: Duration? {
        let isAnimated = currentTraits.isAnimated || unlockedAt != nil
        if !model.flashes.isEmpty || isAnimated && model.motion == .full && model.hasFocus { return Self.frameTime }
        if needsTick || !model.forgetting.isEmpty { return .seconds(1) }
        guard !model.isPlain else { return nil }
        return .milliseconds(60_000 - (tickedAt.milliseconds % 60_000 + 60_000) % 60_000)
    }

    /// Brings the gate down in front of a screen that is only looked at, or lifts it.
    mutating func moveGate() -> [Command] {
        guard model.isLocked else {
            if model.motion == .full, !model.isPlain { unlockedAt = model.now }
            return []
        }
        unlockedAt = nil
        let traits = currentTraits
        guard !model.isPlain, !traits.takesText, traits.allowsProblemAbove || opened.isEmpty else { return [] }
        // The locked screen says it.
        notice = nil
        return apply(.open(.locked), of: nil)
    }

    /// The share of the gate that is still down while it lifts, from 0 to 1; nil if it does not move.
    var liftingGate: Double? {
        guard let unlockedAt, FloatingBox.hasSpace(in: model) else { return nil }
        let share = 1 - LoweredGate.progress(since: unlockedAt, in: model)
        return share > 0 ? share : nil
    }

    /// The time for which the row of a session is highlighted that was used or renewed.
    private static let flashTime = Duration.milliseconds(400)

    /// Highlights the row of the session that an activity used or renewed.
    mutating func flash(_ activity: Activity) {
        if let name = activity.session, [.issued, .renewed].contains(activity.kind) { flash(name) }
    }

    /// Highlights the row of a session for a moment.
    mutating func flash(_ name: SessionName) {
        guard model.motion != .off, !model.isPlain else { return }
        model.flashes[name] = model.now + Self.flashTime
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
