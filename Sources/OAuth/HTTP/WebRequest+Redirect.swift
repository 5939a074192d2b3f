package import AuthModel

extension WebRequest {
    /// Returns where a response with this status redirects the request to, within the same origin, because the request carries a credential;
    /// `nil` if it is no redirect, or one without an address.
    ///
    /// Throws `.security` for another origin, and `.denied` for a redirect that would change the method of a request or send its body once
    /// more, unless `repeatsBody` allows the latter (307 and 308, RFC 9110 section 15.4).
    package func redirect(status: Int, location: String?, repeatsBody: Bool = false) throws(AuthFailure) -> WebURL? {
        guard [301, 302, 303, 307, 308].contains(status), let location else { return nil }
        let origin = url.origin
        guard let next = url.resolving(location)?.normalized, next.origin == origin, next.fragment == nil else {
            throw AuthFailure(
                .security, UserMessage("resource.redirect_to_another_host", ["host": origin.authority]),
                hint: UserMessage("hint.token_sent_only_to", ["host": origin.authority]))
        }
        guard method == .get || repeatsBody && [307, 308].contains(status) else {
            throw AuthFailure(
                .denied(code: nil), UserMessage("resource.redirect_of_non_get", ["host": origin.authority]),
                hint: UserMessage("hint.send_request_to", ["url": next]))
        }
        return next
    }

    /// The failure for too many redirects in a row.
    package var redirectLoop: AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("resource.redirect_loop", ["host": url.origin.authority]),
            hint: "hint.contact_server_administrator")
    }
}
