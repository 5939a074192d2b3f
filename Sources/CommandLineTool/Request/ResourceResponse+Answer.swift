internal import AuthModel
internal import OAuth
internal import ResourceClient

extension ResourceResponse: Answer {
    var lines: [String] { [] }

    /// The response as JSON: the body as JSON if it parses as JSON, otherwise as text.
    var json: JSONValue {
        .answer(
            ("url", .string(url.text)), ("status", .number(response.status)), ("anonymous", .bool(isAnonymous)),
            ("content_type", JSONValue(response.header("Content-Type"))), ("headers", headers), ("body", body))
    }

    /// The header fields in their order; a name may occur more than once.
    private var headers: JSONValue {
        .array(response.headers.map { .members(("name", .string($0.name)), ("value", .string($0.value))) })
    }

    private var body: JSONValue {
        guard !response.body.isEmpty else { return .null }
        return (try? JSONValue(strict: response.body)) ?? .string(String(decoding: response.body, as: UTF8.self))
    }
}
