public import AuthModel

/// One HTTP request as a value: built here, sent by whoever does the I/O.
public struct WebRequest: Equatable, Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    public var method: Method
    public var url: WebURL
    /// Header fields in their order. A value that holds a credential is still plain text here, so a request is never logged whole.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// Whether the path holds a key, so that it is no more logged than a header is.
    public var hasSecretPath: Bool

    public init(
        method: Method, url: WebURL, headers: [(name: String, value: String)] = [], body: [UInt8] = [], hasSecretPath: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.hasSecretPath = hasSecretPath
    }

    /// A form post (RFC 6749 section 4.1.3) that asks for JSON.
    public static func form(_ url: WebURL, _ fields: [(String, String)], headers: [(name: String, value: String)] = []) -> WebRequest {
        WebRequest(
            method: .post, url: url,
            headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")] + headers,
            body: Array(FormEncoding.encode(fields).utf8))
    }

    public static func == (left: WebRequest, right: WebRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.body == right.body && left.hasSecretPath == right.hasSecretPath
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}

/// What came back: the status, the header fields and the whole body, inflated and within limits.
public struct WebResponse: Equatable, Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// What was said in confidence; see ``keeping(_:)``.
    public internal(set) var redactor = SecretRedactor.none

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first field of that name, compared without case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public static func == (left: WebResponse, right: WebResponse) -> Bool {
        left.status == right.status && left.body == right.body && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}
