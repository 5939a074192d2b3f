internal import AuthModel
internal import Localization
internal import TerminalUI
internal import UserConfiguration

/// The one line that a sign-in takes on a terminal while it waits. It is drawn again in its place, on standard error.
struct SignInLine {
    private let context: CommandContext
    private let display: Display
    /// The current step; `nil` before the first one.
    var step: SignInStep?
    /// The host that gets the password.
    var host: String?
    /// The time at which the attempt ends.
    var deadline: Timestamp?
    /// Whether a page was opened in the browser.
    var hasOpenedBrowser = false
    /// Whether Enter shows the other sign-in methods.
    var offersMethods = false
    private var frame = 0
    private var isShown = false

    /// The time between two pictures of the spinner.
    private static let frameInterval = Duration.milliseconds(100)

    /// Creates a line; `nil` if standard error is not a terminal that can rewrite one.
    init?(_ context: CommandContext) {
        guard let display = context.diagnosticsDisplay else { return nil }
        (self.context, self.display) = (context, display)
    }

    /// The time between two drawings: only the countdown moves where motion is reduced, as by default over SSH.
    var interval: Duration {
        let isRemote = !(context.edges.environment["SSH_CONNECTION"] ?? "").isEmpty
        let motion = (try? context.configurationFile().read().interface.motion) ?? (isRemote ? .reduced : .full)
        return motion == .full ? Self.frameInterval : .seconds(1)
    }

    /// Draws the line, or draws it again.
    mutating func draw() {
        guard step != nil else { return }
        frame += 1
        // The last column stays free, because terminals differ in when they wrap.
        context.console.rewrite(text(at: context.now).cut(to: display.columns - 1, display.glyphs), on: display)
        isShown = true
    }

    /// Erases the line, so that something else can be printed.
    mutating func erase() {
        guard isShown else { return }
        context.console.rewrite("", on: display)
        isShown = false
    }

    /// Erases the line after the user pressed Enter on it.
    mutating func eraseAfterEnter() {
        guard isShown else { return }
        context.console.eraseLineAbove()
        isShown = false
    }

    /// Prints a line that stays.
    mutating func print(_ line: StyledText) {
        erase()
        context.console.note(line, indent: 2, on: display)
    }

    private func text(at now: Timestamp) -> StyledText {
        let spinner = display.glyphs.spinner
        let line = StyledText(spinner[frame % spinner.count] + " ", .accent)
        guard step == .wait, let host else {
            return line + StyledText(step?.title.english ?? "") + StyledText(host.map { "  \($0)" } ?? "", .muted)
        }
        let step = hasOpenedBrowser ? "Sign in, in your browser, at " : "Waiting for you to sign in at "
        let left = deadline.map { ($0 - now).formatted + " left" }
        let more = offersMethods ? "Enter: other ways" : nil
        let dot = display.glyphs == .unicode ? " · " : " - "
        let rest = StyledText(host, .title) + StyledText([left, more].compactMap(\.self).map { dot + $0 }.joined(), .muted)
        let whole = line + StyledText(step) + rest
        // On a narrow terminal, the time left matters more.
        return whole.width < display.columns ? whole : line + StyledText("Sign in at ") + rest
    }
}
