internal import AuthModel
internal import NIOHTTP1

/// Which header fields the proxy passes on (RFC 9110 section 7.6.1).
enum ProxyFields {
    /// The fields of one connection.
    private static let hop: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "proxy-authenticate",
        "proxy-authorization",
    ]

    /// Returns the fields for the server: without those of the connection, the host, and the credentials, which the proxy sets.
    static func request(_ headers: HTTPHeaders, credentials: Set<String>) -> [(name: String, value: String)] {
        let named = connectionFields(headers)
        return headers.compactMap { name, value in
            let key = name.asciiLowercased()
            guard !hop.contains(key), !named.contains(key), !credentials.contains(key), !["host", "content-length", "expect"].contains(key)
            else { return nil }
            return (name, value)
        }
    }

    /// Returns the fields for the client; `nil` if one is invalid. Cookies are for the proxy's session, not for the client.
    static func response(_ headers: [(name: String, value: String)], location: (String) -> String) -> HTTPHeaders? {
        guard headers.allSatisfy(isValid) else { return nil }
        let all = HTTPHeaders(headers.map { ($0.name, $0.value) })
        var named = connectionFields(all)
        // The coding that is taken off here, and not this length, said where the body ends (RFC 9112 section 6.3).
        if all.contains(name: "Transfer-Encoding") { named.insert("content-length") }
        var fields = HTTPHeaders()
        for (name, value) in headers {
            let key = name.asciiLowercased()
            guard !hop.contains(key), !named.contains(key), key != "set-cookie", key != "alt-svc" else { continue }
            fields.add(name: name, value: key == "location" ? location(value) : value)
        }
        return fields
    }

    /// Returns whether a name or a value has the text of a token.
    static func contain(_ token: Secret, _ headers: [(name: String, value: String)]) -> Bool {
        let text = token.reveal()
        return !text.isEmpty && headers.contains { $0.name.contains(text) || $0.value.contains(text) }
    }

    /// Returns whether a client can read a field as it is: the name is a token, and the value has no control character except tabs (RFC 9110
    /// sections 5.1 and 5.5).
    private static func isValid(_ field: (name: String, value: String)) -> Bool {
        !field.name.isEmpty && field.name.utf8.allSatisfy(isTokenCharacter)
            && field.value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }

    /// RFC 9110 section 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func connectionFields(_ headers: HTTPHeaders) -> Set<String> {
        Set(headers[canonicalForm: "connection"].map { $0.asciiLowercased() })
    }
}
