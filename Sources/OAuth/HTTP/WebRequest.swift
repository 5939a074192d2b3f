public import AuthModel
import Crypto

/// An HTTP request as a value. This library builds it; the caller sends it.
public struct WebRequest: Equatable, Sendable {
    /// An HTTP method.
    public struct Method: RawRepresentable, Hashable, Sendable {
        /// The method as it is sent.
        public let rawValue: String

        /// Creates a method; `nil` if the text is no method (RFC 9110 section 9.1), or one that must not carry a credential: `CONNECT` is
        /// not for a resource, and the answer to `TRACE` shows the whole request (section 9.3.8).
        public init?(rawValue: String) {
            let isWord = rawValue.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
            guard isWord, (1...32).contains(rawValue.utf8.count), !["CONNECT", "TRACE"].contains(rawValue) else { return nil }
            self.rawValue = rawValue
        }

        private init(_ text: String) { rawValue = text }

        /// Transfers a representation of the resource.
        public static let get = Method("GET")
        /// The same as GET, without the body.
        public static let head = Method("HEAD")
        /// Has the resource process the body.
        public static let post = Method("POST")
        /// Replaces the resource by the body.
        public static let put = Method("PUT")
        /// Changes the resource in part (RFC 5789).
        public static let patch = Method("PATCH")
        /// Removes the resource.
        public static let delete = Method("DELETE")
    }

    /// The HTTP method.
    public var method: Method
    /// The URL.
    public var url: WebURL
    /// The header fields in order. Values may contain credentials in plain text, so never log a complete request.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
    /// Whether the path contains a secret, so that it must not be logged.
    public var hasSecretPath: Bool

    /// Creates a web request.
    public init(
        method: Method, url: WebURL, headers: [(name: String, value: String)] = [], body: [UInt8] = [], hasSecretPath: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.hasSecretPath = hasSecretPath
    }

    /// Builds a form POST that accepts JSON (RFC 6749 section 4.1.3).
    public static func form(_ url: WebURL, _ fields: [(String, String)], headers: [(name: String, value: String)] = []) -> WebRequest {
        WebRequest(
            method: .post, url: url,
            headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")] + headers,
            body: Array(FormEncoding.encode(fields).utf8))
    }

    /// Builds a POST of the fields as a JSON object of strings that accepts JSON. A repeated field becomes an array.
    public static func json(_ url: WebURL, _ fields: [(String, String)], headers: [(name: String, value: String)] = []) -> WebRequest {
        var members: [JSONValue.Member] = []
        for (name, value) in fields {
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = .array((members[index].value.array ?? [members[index].value]) + [.string(value)])
            } else {
                members.append(.init(name, .string(value)))
            }
        }
        return WebRequest(
            method: .post, url: url, headers: [("Content-Type", "application/json"), ("Accept", "application/json")] + headers,
            body: Array(JSONValue.object(members).text.utf8))
    }

    /// Whether the request is a token request in a query, or one for a device code: it spends a grant or makes one, so it is not safe to
    /// repeat although it is a GET, and its response has secrets.
    package var isTokenQuery: Bool {
        guard method == .get, let query = url.query else { return false }
        return query.contains("grant_type=") || query.contains("=device_code")
    }

    /// Compares all properties; header fields in order.
    public static func == (left: WebRequest, right: WebRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.body == right.body && left.hasSecretPath == right.hasSecretPath
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }

    /// Returns where a response with this status redirects the request to, within the same origin, because the request carries a
    /// credential; `nil` if it is no redirect, or one without an address.
    ///
    /// Throws `.security` for another origin, and `.denied` for a redirect that would change the method of a request or send its body once
    /// more, unless `repeatsBody` allows the latter (307 and 308, RFC 9110 section 15.4).
    package func redirect(status: Int, location: String?, repeatsBody: Bool = false) throws(AuthFailure) -> WebURL? {
        guard Self.redirectStatuses.contains(status), let location else { return nil }
        let origin = url.origin
        guard let next = url.resolving(location)?.normalized, next.origin == origin, next.fragment == nil else {
            throw AuthFailure(
                .security, UserMessage("resource.redirect_to_another_host", ["host": origin.authority]),
                hint: UserMessage("hint.token_sent_only_to", ["host": origin.authority]))
        }
        guard [.get, .head].contains(method) || repeatsBody && [307, 308].contains(status) else {
            throw AuthFailure(
                .denied(code: nil), UserMessage("resource.redirect_of_non_get", ["host": origin.authority]),
                hint: UserMessage("hint.send_request_to", ["url": next]))
        }
        return next
    }

    private static let redirectStatuses: Set = [301, 302, 303, 307, 308]

    /// Returns the request for a download that its resource redirects to another host, such as a storage service whose address has its own
    /// signature. `nil` if the response is no such redirect, or one that is not followed.
    ///
    /// Only a read without a body leaves its origin, for https on the public Internet, as far as its name tells; one that a private network
    /// answers may stay there. It takes only the header fields that say which form or part of the content is wanted: no credential, and no
    /// field of the API.
    package func download(status: Int, location: String?) -> WebRequest? {
        guard [.get, .head].contains(method), body.isEmpty, Self.redirectStatuses.contains(status),
            let target = location.flatMap(url.resolving), target.hasUnambiguousPath, target.fragment == nil
        else { return nil }
        let (origin, other) = (url.origin, target.origin)
        guard other != origin, other.scheme == .https, !other.isPrivate || origin.isPrivate else { return nil }
        let fields = headers.filter { Self.contentFields.contains($0.name.asciiLowercased()) }
        return WebRequest(method: method, url: target, headers: fields)
    }

    private static let contentFields: Set = [
        "accept", "accept-language", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
    ]

    /// The failure for too many redirects in a row.
    package var redirectLoop: AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("resource.redirect_loop", ["host": url.origin.authority]),
            hint: "hint.contact_server_administrator")
    }
}

/// An HTTP response: status, header fields and the complete body, decompressed and limited in size.
public struct WebResponse: Equatable, Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in order.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
    /// Removes known secrets from errors; see ``keeping(_:)``.
    public internal(set) var redactor = SecretRedactor.none

    /// Creates a web response.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The body as a JSON document, read strictly; `nil` if it is none.
    public var document: JSONValue? { try? JSONValue(strict: body.withoutByteOrderMark) }

    /// Returns the value of the first field with this name, compared without case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.asciiLowercased() == name.asciiLowercased() }?.value
    }

    /// Compares everything except the redactor.
    public static func == (left: WebResponse, right: WebResponse) -> Bool {
        left.status == right.status && left.body == right.body && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}

extension [UInt8] {
    /// A JSON text without the byte order mark that some services write before it, and that a reader may ignore (RFC 8259 section 8.1).
    var withoutByteOrderMark: ArraySlice<UInt8> { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...] }
}

extension ServerCertificate {
    /// The SHA-256 fingerprint in the usual notation: `3A:0F:…`; `nil` if the PEM text contains no certificate.
    public var fingerprint: String? {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(of: "-----BEGIN CERTIFICATE-----"), let end = lines.firstIndex(of: "-----END CERTIFICATE-----"),
            start < end, let bytes = Base64.decode(lines[(start + 1)..<end].joined())
        else { return nil }
        return SHA256.hash(data: bytes).map { [$0].hexadecimal.uppercased() }.joined(separator: ":")
    }
}
