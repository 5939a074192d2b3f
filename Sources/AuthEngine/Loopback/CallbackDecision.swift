/// The flow's decision on a callback that it validated.
public enum CallbackDecision: Equatable, Sendable {
    /// The callback is the provider's response to this attempt and has a code. Stops listening; the browser shows "Received".
    case accepted
    /// The callback is the provider's response to this attempt: the provider or the user denied it. Stops listening.
    case denied
    /// The callback belongs to this attempt but cannot be trusted (for example, a wrong `iss`, RFC 9207). Stops listening; the browser gets
    /// a 400.
    case refused
    /// The callback is incomplete or does not belong to this attempt; any program may have sent it. The browser gets a 400, and nothing else changes.
    case ignored

    /// Whether the listener stops waiting for callbacks after this decision.
    var endsListening: Bool { self != .ignored }
}
