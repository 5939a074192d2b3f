internal import AuthModel

extension WebURL {
    /// Parses `HOST`, `HOST:PORT` or the URL of a server without a path. Throws `.usage`.
    static func server(_ text: String) throws(AuthFailure) -> WebURL {
        guard let url = WebURL(text.contains("://") ? text : "https://" + text), ["", "/"].contains(url.path), url.query == nil,
            url.fragment == nil
        else {
            throw AuthFailure(.usage, text: "'\(text)' is not a host", hint: "use the form git.example.org or git.example.org:8443")
        }
        guard url.isProtected else {
            throw AuthFailure(
                .usage, text: "tokens are not sent to \(url.origin) without encryption",
                hint: "use https; http is for loopback addresses only")
        }
        return url
    }
}
