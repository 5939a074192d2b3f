internal import AuthModel

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

    /// Returns the value of the first field with this name, compared without case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.asciiLowercased() == name.asciiLowercased() }?.value
    }

    /// Compares everything except the redactor.
    public static func == (left: WebResponse, right: WebResponse) -> Bool {
        left.status == right.status && left.body == right.body && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}
