internal import AuthModel
internal import OAuth

/// What a resource answered in the end, and how it was asked.
struct ResourceAnswer: Answer {
    /// The address that answered, after redirects within its host.
    let url: WebURL
    let response: WebResponse
    /// Whether no token went along.
    let isAnonymous: Bool

    var lines: [String] { [] }

    /// The body is JSON where it came as JSON, otherwise text.
    var json: JSONValue {
        .answer(
            ("url", .string(url.text)), ("status", .number(response.status)), ("anonymous", .bool(isAnonymous)),
            ("content_type", JSONValue(response.header("Content-Type"))), ("headers", headers), ("body", body))
    }

    /// The header fields in their order; a name may be there more than once.
    private var headers: JSONValue {
        .array(response.headers.map { .members(("name", .string($0.name)), ("value", .string($0.value))) })
    }

    private var body: JSONValue {
        guard !response.body.isEmpty else { return .null }
        return (try? JSONValue(strict: response.body)) ?? .string(String(decoding: response.body, as: UTF8.self))
    }
}
