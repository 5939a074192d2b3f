/// How much on the screen may move: `[ui] motion` in the configuration.
public enum Motion: String, CaseIterable, Equatable, Sendable {
    /// Everything: spinners turn, and the gate lifts after a sign-in.
    case full
    /// No animation. A row still lights up for a moment when its session is used or renewed.
    case reduced
    /// Only times change by themselves.
    case off
}
