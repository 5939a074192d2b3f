/// What is to be done with a callback, in the words of the flow that validated it.
public enum CallbackDecision: Equatable, Sendable {
    /// The provider's answer to this attempt, with a code. Ends the listening; the browser is told "received".
    case accepted
    /// The provider's answer to this attempt: it, or the person, said no. Ends the listening.
    case denied
    /// This attempt's answer, but not to be trusted (RFC 9207's `iss`, say). Ends the listening; the browser gets a 400.
    case refused
    /// Not this attempt's answer: anybody may have sent it. The browser gets a 400, and nothing else changes.
    case ignored

    /// Whether nothing more is awaited after it.
    var endsListening: Bool { self != .ignored }
}
