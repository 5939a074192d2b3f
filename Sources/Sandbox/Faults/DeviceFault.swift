import AuthModel

/// A fault in a device sign-in: in the response of the device authorization endpoint, or in responses to polls. See ``summary`` for each
/// case.
public enum DeviceFault: String, Sendable, CaseIterable {
    case deviceCodeMissing = "device-code-missing"
    case userCodeMissing = "user-code-missing"
    case userCodeHostile = "user-code-hostile"
    case lifetimeMissing = "expires-in-missing"
    case lifetimeNegative = "expires-in-negative"
    case lifetimeAbsurd = "expires-in-absurd"
    case intervalMissing = "interval-missing"
    case intervalNegative = "interval-negative"
    case intervalAbsurd = "interval-absurd"
    case verificationMissing = "verification-uri-missing"
    case verificationJavaScript = "verification-uri-javascript"
    case verificationHTTP = "verification-uri-http"
    case completeMissing = "verification-uri-complete-missing"
    case completeElsewhere = "verification-uri-complete-elsewhere"
    case refused = "unauthorized-client"
    case pending = "pending"
    case slowDown = "slow-down"
    case denied = "denied"
    case expired = "expired"
    case firstPollUnavailable = "first-poll-503"
    case firstPollTooMany = "first-poll-429"
    case firstPollHTML = "first-poll-html"
    case firstPollClosed = "first-poll-closed"

    /// A description of the fault, for a table.
    public var summary: String { effect().summary }

    /// Whether the fault affects the token endpoint.
    var affectsPolling: Bool {
        switch self {
        case .pending, .slowDown, .denied, .expired: true
        default: affectsFirstPoll
        }
    }

    /// Whether the fault takes effect once for each device code.
    var affectsFirstPoll: Bool {
        switch self {
        case .firstPollUnavailable, .firstPollTooMany, .firstPollHTML, .firstPollClosed: true
        default: false
        }
    }

    /// Returns the document with this fault.
    ///
    /// - Parameter elsewhere: a URL of another origin.
    func apply(_ document: JSONValue, elsewhere: String) -> JSONValue { effect(elsewhere: elsewhere).apply(document) }

    private func effect(elsewhere: String = "") -> FaultEffect<JSONValue> {
        switch self {
        case .deviceCodeMissing: .missing("device_code")
        case .userCodeMissing: .missing("user_code")
        case .userCodeHostile: .setting("user_code", .string(HostileText.all), "contains controls, markup and bidirectional overrides")
        case .lifetimeMissing: .missing("expires_in")
        case .lifetimeNegative: .setting("expires_in", -60, "is negative")
        case .lifetimeAbsurd: .setting("expires_in", .number("1e300"), "is 1e300")
        case .intervalMissing: .missing("interval", ", which means 5 seconds")
        case .intervalNegative: .setting("interval", -5, "is negative")
        case .intervalAbsurd: .setting("interval", .number("1e300"), "is 1e300")
        case .verificationMissing: .missing("verification_uri")
        case .verificationJavaScript: .setting("verification_uri", "javascript:alert(1)", "is a javascript URL")
        case .verificationHTTP: .plainHTTP("verification_uri", "device")
        case .completeMissing: .missing("verification_uri_complete", ", which is allowed")
        case .completeElsewhere:
            .setting("verification_uri_complete", .string(elsewhere), "is of another origin than verification_uri")
        case .refused: .init("400 unauthorized_client instead of a device code")
        case .pending: .init("every poll is answered authorization_pending, even after the user has answered")
        case .slowDown: .init("every poll is answered slow_down")
        case .denied: .init("every poll is answered access_denied")
        case .expired: .init("every poll is answered expired_token")
        case .firstPollUnavailable: .init("the first poll is answered 503 with Retry-After: 7")
        case .firstPollTooMany: .init("the first poll is answered 429 with Retry-After: 7")
        case .firstPollHTML: .init("the first poll is answered 200 with a page")
        case .firstPollClosed: .init("the first poll is not answered, and the connection is closed")
        }
    }

    /// The response to a poll with this fault; `nil` if the fault is not about polls or also changes stored state.
    var pollResponse: SandboxResponse? {
        switch self {
        case .pending: return .error(ErrorReply("authorization_pending", "the user has not answered yet"))
        case .denied: return .error(ErrorReply("access_denied", "the user denied the request"))
        case .expired: return .error(ErrorReply("expired_token", "the device code has expired"))
        case .firstPollUnavailable: return TransportFault.unavailable.apply(SandboxResponse(status: 200), elsewhere: "")
        case .firstPollTooMany: return .text("too many requests\n", status: 429, headers: [("Retry-After", "7")])
        case .firstPollHTML: return TransportFault.html.apply(SandboxResponse(status: 200), elsewhere: "")
        case .firstPollClosed: return TransportFault.closed.apply(SandboxResponse(status: 200), elsewhere: "")
        default: return nil
        }
    }
}
