internal import AuthModel

/// A server of a mailbox, as a user names it.
struct MailServer {
    let host: String
    /// The port; `nil` is that of the protocol.
    let port: Int?

    /// `HOST`, or `HOST:PORT`.
    var authority: String { host + (port.map { ":\($0)" } ?? "") }

    /// Parses `HOST` or `HOST:PORT`. Throws `.usage`.
    init(_ text: String) throws(AuthFailure) {
        let parts = try WebURL.server(text).origin.authority.split(separator: ":", omittingEmptySubsequences: false)
        // An IPv6 address has colons of its own, and brackets around them.
        let port = parts.count == 2 || parts.dropLast().last?.hasSuffix("]") == true ? parts.last.flatMap { Int($0) } : nil
        self.port = port
        host = (port == nil ? parts[...] : parts.dropLast()).joined(separator: ":")
    }
}
