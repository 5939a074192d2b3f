import AuthModel
import TerminalAppModel
import TerminalUI

extension AppState {
    /// The time of a frame of an animation: eight of them in a second.
    static let frameTime = Duration.milliseconds(125)

    /// The maximum time from the last tick to the next one; nil for none.
    ///
    /// A tick comes as often as something on the screen changes with the time: an animation, a countdown, or only the clock in the header.
    var nextTick: Duration? {
        if !model.flashes.isEmpty || current.screen.isAnimated(in: model) && model.motion == .full { return Self.frameTime }
        if needsTick || !model.forgetting.isEmpty { return .seconds(1) }
        guard !model.isPlain else { return nil }
        return .milliseconds(60_000 - (tickedAt.milliseconds % 60_000 + 60_000) % 60_000)
    }

    /// How long the row of a session is highlighted that was used or renewed.
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
