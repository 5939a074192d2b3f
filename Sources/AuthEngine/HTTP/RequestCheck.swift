import AuthModel
import OAuth

/// Validates a request before any of it is sent.
enum RequestCheck {
    static func check(_ request: WebRequest, _ policy: TransportPolicy) throws(AuthFailure) {
        guard request.url.isResourceURL else {
            throw AuthFailure(
                .security, "refused to use plain http for \(request.url.origin.authority)",
                hint: "use https; http is allowed only for loopback addresses")
        }
        // The server must read the path that was checked, however it treats dots and encoded slashes.
        guard request.url.hasUnambiguousPath else {
            throw AuthFailure(
                .security, "refused to send a request to \(request.url.origin.authority): its path is ambiguous",
                hint: "write the URL without '..', encoded dots, backslashes and double percent-encoding")
        }
        if let login = policy.webServerLogin {
            guard login.origin == request.url.origin else {
                throw AuthFailure(
                    .security, "refused to send \(request.url.origin.authority) the password of \(login.origin.authority)")
            }
            // A field of the request would replace the one that carries the password.
            guard !request.headers.contains(where: { $0.name.lowercased() == "authorization" }) else {
                throw AuthFailure(.bug, "a request has both a password and an Authorization header")
            }
        }
        for header in request.headers {
            guard isToken(header.name) else {
                throw AuthFailure(.security, "refused to send a header field with an invalid name")
            }
            // CR, LF and NUL would end the field and start another one; no other control character is allowed either (RFC 9110 section
            // 5.5).
            guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw AuthFailure(.security, "refused to send header field \(header.name): its value contains control characters")
            }
        }
    }

    /// Returns whether `name` is a token (RFC 9110 section 5.6.2).
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
