import AuthModel
import OAuth

/// Validates a request before any of it is sent.
enum RequestCheck {
    static func check(_ request: WebRequest, _ policy: TransportPolicy) throws(AuthFailure) {
        guard request.url.isRequestable else {
            throw AuthFailure(
                .security, UserMessage("http.plain_http_refused", ["host": request.url.origin.authority]),
                hint: "hint.use_https_except_loopback")
        }
        // The server must read the path that was checked, however it treats dots and encoded slashes.
        guard request.url.hasUnambiguousPath else {
            throw AuthFailure(
                .security, UserMessage("http.ambiguous_path", ["host": request.url.origin.authority]),
                hint: "hint.write_plain_url")
        }
        if let login = policy.webServerLogin {
            guard login.origin == request.url.origin else {
                throw AuthFailure(
                    .security,
                    UserMessage("http.password_of_other_host", ["host": request.url.origin.authority, "owner": login.origin.authority]))
            }
            // A field of the request would replace the one that carries the password.
            guard !request.headers.contains(where: { $0.name.asciiLowercased() == "authorization" }) else {
                throw AuthFailure(.bug, "http.password_and_authorization")
            }
        }
        for header in request.headers {
            guard header.name.isHTTPToken else {
                throw AuthFailure(.security, "http.invalid_header_name")
            }
            // CR, LF and NUL would end the field and start another one; no other control character is allowed either (RFC 9110 section
            // 5.5).
            guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw AuthFailure(.security, UserMessage("http.invalid_header_value", ["name": header.name]))
            }
        }
    }
}
