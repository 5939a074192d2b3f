import AuthModel
import Localization
import TerminalUI

/// The terminal app for the runtime. Every function is pure; ``EffectRunner`` performs the commands.
enum TerminalAppRoot: Application {
    typealias State = AppState

    static func message(for event: InputEvent, in state: AppState) -> Message? {
        switch event {
        case .key(let key): .keyPressed(key)
        case .paste(let text): .textPasted(text)
        case .mouse(let event): .mouseUsed(event)
        case .resized(let size): .resized(size)
        case .focused(let hasFocus): .focusChanged(hasFocus)
        case .colorsChanged(let isLight): .colorsChanged(isLight: isLight)
        case .resumed: nil
        case .terminated: .terminated
        }
    }

    static func start(_ state: AppState) -> [Command] { [.watch, .watchSettings, .load, .loadActivity] }

    static func note(_ reading: ClockReading, in state: inout AppState) {
        state.model.now = Timestamp(milliseconds: reading.civilMilliseconds)
    }

    static func update(_ state: inout AppState, _ message: Message) -> [Command] {
        Language.$current.withValue(state.model.language) {
            Words.$localTime.withValue(state.model.localTime) {
                Words.$names.withValue(state.model.spelledNames) { state.handleAndNotify(message) }
            }
        }
    }

    static func render(_ state: AppState, theme: Theme, into buffer: inout ScreenBuffer) {
        Language.$current.withValue(state.model.language) {
            Words.$localTime.withValue(state.model.localTime) {
                Words.$names.withValue(state.model.spelledNames) { draw(state, into: &buffer) }
            }
        }
    }

    /// Returns the meaning of a click at `point`: draws the screen again, and records the clickable areas.
    static func target(at point: Point, in state: AppState) -> ScreenTarget.Meaning? {
        var buffer = ScreenBuffer(size: state.model.size, glyphs: state.model.glyphs, recordsTargets: true)
        draw(state, into: &buffer)
        return buffer.target(at: point)
    }

    private static func draw(_ state: AppState, into buffer: inout ScreenBuffer) {
        let screen = state.current.screen
        let body = Frame.body(buffer.size)
        let traits = state.currentTraits
        if !state.model.isPlain, let content = traits.box,
            let box = FloatingBox(in: body, content, isPreview: traits.previewedTheme != nil)
        {
            (traits.backdrop ?? state.below.screen).render(in: state.model, area: body, into: &buffer)
            box.draw(screen, in: state.model, into: &buffer)
        } else {
            screen.render(in: state.model, area: body, into: &buffer)
            if let share = state.liftingGate { LoweredGate(share: share).draw(in: body, into: &buffer) }
        }
        // The path behind a gate may name a session.
        let titles = traits.loweredGate == nil ? state.trail : [screen.title(in: state.model)]
        Frame(
            titles: titles, status: screen.status(in: state.model), presence: Presence(model: state.model, glyphs: buffer.glyphs),
            notice: state.displayedNotice, strip: screen.strip(in: state.model, columns: buffer.size.columns - 2, glyphs: buffer.glyphs),
            hints: screen.keyHints(in: state.model), everywhere: state.globalHints, keepsFind: traits.selectedRow != nil
        ).draw(into: &buffer)
    }

    static func title(in state: AppState) -> String? { state.title }

    static func usesMouse(in state: AppState) -> Bool { state.model.usesMouse }

    static func theme(in state: AppState) -> Theme { state.displayedTheme }

    static func nextTick(in state: AppState) -> Duration? { state.nextTick }

    static func message(forTick reading: ClockReading, in state: AppState) -> Message? {
        .ticked(Timestamp(milliseconds: reading.civilMilliseconds))
    }

    static func directive(for command: Command) -> Directive {
        switch command {
        case .watch: .subscribe(id: "watch")
        case .followSignIn(let run): .subscribe(id: "sign-in \(run.number)")
        case .load: .perform(id: "load")
        case .loadActivity: .perform(id: "activity")
        case .reload: .perform(id: "reload")
        case .watchSettings: .subscribe(id: "settings")
        // A single timer: the next token restarts it. The app counts as idle while it waits.
        case .clearClipboard: .subscribe(id: "clipboard")
        case .saveSetting: .perform(id: nil)
        case .loadSession(let name): .perform(id: "session \(name)")
        case .loadBridges: .perform(id: "bridges")
        case .loadTokens(let name): .perform(id: "tokens \(name)")
        case .loadRoles(let name, _): .perform(id: "roles \(name)")
        case .suspend: .suspend
        case .quit, .startDemo: .quit
        case .findProvider, .addProvider, .beginSignIn, .cancelSignIn, .paste, .answer, .requestDeviceCode, .answerQuestion, .openBrowser,
            .renew, .signOut, .makeDefault, .awaitBrowser, .unlock, .lock, .copyText, .notify, .copyToken, .showToken,
            .openConsole:
            .perform(id: nil)
        }
    }
}
