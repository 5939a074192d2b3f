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
    public var summary: String {
        switch self {
        case .deviceCodeMissing: "device_code is missing"
        case .userCodeMissing: "user_code is missing"
        case .userCodeHostile: "user_code contains controls, markup and bidirectional overrides"
        case .lifetimeMissing: "expires_in is missing"
        case .lifetimeNegative: "expires_in is negative"
        case .lifetimeAbsurd: "expires_in is 1e300"
        case .intervalMissing: "interval is missing, which means 5 seconds"
        case .intervalNegative: "interval is negative"
        case .intervalAbsurd: "interval is 1e300"
        case .verificationMissing: "verification_uri is missing"
        case .verificationJavaScript: "verification_uri is a javascript URL"
        case .verificationHTTP: "verification_uri is plain http off loopback"
        case .completeMissing: "verification_uri_complete is missing, which is allowed"
        case .completeElsewhere: "verification_uri_complete is of another origin than verification_uri"
        case .refused: "400 unauthorized_client instead of a device code"
        case .pending: "every poll is answered authorization_pending, even after the user has answered"
        case .slowDown: "every poll is answered slow_down"
        case .denied: "every poll is answered access_denied"
        case .expired: "every poll is answered expired_token"
        case .firstPollUnavailable: "the first poll is answered 503 with Retry-After: 7"
        case .firstPollTooMany: "the first poll is answered 429 with Retry-After: 7"
        case .firstPollHTML: "the first poll is answered 200 with a page"
        case .firstPollClosed: "the first poll is not answered, and the connection is closed"
        }
    }

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
    func apply(_ document: JSONValue, elsewhere: String) -> JSONValue {
        switch self {
        case .deviceCodeMissing: document.removing("device_code")
        case .userCodeMissing: document.removing("user_code")
        case .userCodeHostile: document.setting("user_code", .string(HostileText.all))
        case .lifetimeMissing: document.removing("expires_in")
        case .lifetimeNegative: document.setting("expires_in", -60)
        case .lifetimeAbsurd: document.setting("expires_in", .number("1e300"))
        case .intervalMissing: document.removing("interval")
        case .intervalNegative: document.setting("interval", -5)
        case .intervalAbsurd: document.setting("interval", .number("1e300"))
        case .verificationMissing: document.removing("verification_uri")
        case .verificationJavaScript: document.setting("verification_uri", "javascript:alert(1)")
        case .verificationHTTP: document.setting("verification_uri", "http://provider.example/device")
        case .completeMissing: document.removing("verification_uri_complete")
        case .completeElsewhere: document.setting("verification_uri_complete", .string(elsewhere))
        case .refused, .pending, .slowDown, .denied, .expired, .firstPollUnavailable, .firstPollTooMany, .firstPollHTML,
            .firstPollClosed:
            document
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
