import AuthModel

/// A fault in the response to a pushed authorization request (RFC 9126). See ``summary`` for each case.
public enum PushedRequestFault: String, Sendable, CaseIterable {
    case invalidRequest = "invalid-request"
    case requestURIMissing = "request-uri-missing"
    case requestURINumber = "request-uri-number"
    case requestURIElsewhere = "request-uri-https"
    case requestURIUnknown = "request-uri-unknown"
    case lifetimeMissing = "expires-in-missing"
    case status200 = "status-200"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .invalidRequest: "400 invalid_request"
        case .requestURIMissing: "request_uri is missing"
        case .requestURINumber: "request_uri is a number"
        case .requestURIElsewhere: "request_uri is a URL of another origin, not a URN"
        case .requestURIUnknown: "request_uri was never issued"
        case .lifetimeMissing: "expires_in is missing"
        case .status200: "status 200 instead of 201"
        }
    }

    /// The response that refuses the request without processing it; `nil` for other faults.
    var refusal: SandboxResponse? {
        self == .invalidRequest ? .error(OAuthError("invalid_request", "this parameter cannot be pushed")) : nil
    }

    /// Returns the response with this fault.
    ///
    /// - Parameter elsewhere: a URL of another origin.
    func apply(_ honest: SandboxResponse, elsewhere: String) -> SandboxResponse {
        switch self {
        case .invalidRequest: honest
        case .requestURIMissing: honest.mapping { $0.removing("request_uri") }
        case .requestURINumber: honest.mapping { $0.setting("request_uri", 42) }
        case .requestURIElsewhere: honest.mapping { $0.setting("request_uri", .string(elsewhere)) }
        case .requestURIUnknown: honest.mapping { $0.appending("-unknown", to: "request_uri") }
        case .lifetimeMissing: honest.mapping { $0.removing("expires_in") }
        case .status200: honest.with(status: 200)
        }
    }
}

extension SandboxResponse {
    /// Returns the response with its JSON document changed; unchanged if its body is not JSON.
    func mapping(_ change: (JSONValue) -> JSONValue) -> SandboxResponse {
        guard let document = try? JSONValue(strict: text) else { return self }
        var answer = self
        answer.body = .bytes(Array(change(document).text.utf8))
        return answer
    }

    /// Returns the response with another status.
    func with(status: Int) -> SandboxResponse {
        var answer = self
        answer.status = status
        return answer
    }
}
