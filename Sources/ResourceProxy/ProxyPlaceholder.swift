internal import AuthModel
internal import LocalServer
internal import NIOHTTP1
internal import OAuth

/// The text that a program sends in place of a token, if it does not start without one. The proxy replaces it.
package enum ProxyPlaceholder {
    /// The text.
    package static let text = "yett"
    /// The variable that has it.
    package static let variable = "YETT_PLACEHOLDER"

    /// The fields that do not tell whose credentials a request has.
    private static let shared: Set = ["cookie", "dpop", "proxy-authorization"]

    /// Whether a request has credentials of the client's own, in one of these fields.
    static func hasOthers(_ headers: HTTPHeaders, in fields: Set<String>) -> Bool {
        headers.contains { name, value in
            let name = name.asciiLowercased()
            return fields.contains(name) && !shared.contains(name) && !isPlaceholder(value)
        }
    }

    /// Whether a value is the text, alone or after a scheme, also as the password of Basic authentication (RFC 7617) or as its user name
    /// without a password.
    static func isPlaceholder(_ value: String) -> Bool {
        let words = value.split { $0 == " " || $0 == "\t" }
        guard words.count == 2 else { return words == [text[...]] }
        guard words[0].asciiLowercased() == "basic" else { return words[1] == text }
        guard let bytes = Base64.decode(String(words[1])) else { return words[1] == text }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.last == text[...] || parts.count == 2 && parts[0] == text && parts[1].isEmpty
    }
}

extension TLSTermination.Client {
    /// Why a request on an opened connection is not passed on; `nil` if it is.
    func refusal(of origin: Origin) -> (status: Int, text: String)? {
        switch self {
        case .unknown, .plain: (400, "plain HTTP to \(origin.authority) is refused; use https")
        case .tls(let host?) where host.asciiLowercased() != origin.host:
            (421, "TLS names another host than the connection, which is to \(origin.authority)")
        case .tls: nil
        }
    }
}
