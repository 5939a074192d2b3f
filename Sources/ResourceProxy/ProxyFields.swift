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
            let key = name.lowercased()
            guard !hop.contains(key), !named.contains(key), !credentials.contains(key), !["host", "content-length", "expect"].contains(key)
            else { return nil }
            return (name, value)
        }
    }

    /// Returns the fields for the client. Cookies are for the proxy's session, not for the client.
    static func response(_ headers: [(name: String, value: String)], location: (String) -> String) -> HTTPHeaders {
        let all = HTTPHeaders(headers.map { ($0.name, $0.value) })
        var named = connectionFields(all)
        // The coding that is taken off here, and not this length, said where the body ends (RFC 9112 section 6.3).
        if all.contains(name: "Transfer-Encoding") { named.insert("content-length") }
        var fields = HTTPHeaders()
        for (name, value) in headers {
            let key = name.lowercased()
            guard !hop.contains(key), !named.contains(key), key != "set-cookie", key != "alt-svc" else { continue }
            fields.add(name: name, value: key == "location" ? location(value) : value)
        }
        return fields
    }

    private static func connectionFields(_ headers: HTTPHeaders) -> Set<String> {
        Set(headers[canonicalForm: "connection"].map { $0.lowercased() })
    }
}
