internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth

/// Sends a request to one URL after the other and prints the responses: follows their pages, and sends again what may be sent again.
struct RequestRun {
    let template: RequestTemplate
    let transfer: RequestTransfer
    let output: Output
    /// Whether the responses' `next` links are followed.
    let followsPages: Bool
    /// The maximum number of times that a failed request is sent again.
    let retries: Int
    let context: CommandContext

    /// The form in which responses are printed.
    enum Output {
        case body
        /// The status and the header fields, then the body.
        case headerAndBody
        case json
    }

    private var console: Console { context.console }

    /// Sends the requests. Throws for the first response that is an error, after it was printed.
    func run(_ targets: [WebURL], by conversation: some ResourceConversation) async throws {
        for target in targets {
            var visited: Set<String> = []
            var next: WebURL? = target
            while let url = next {
                try Task.checkCancellation()
                guard visited.insert(url.text).inserted else {
                    throw AuthFailure(
                        .unavailable(retryAfter: nil), text: "the pages of \(url.origin.authority) lead back to \(url)",
                        hint: "the server's Link fields are wrong; contact its administrator")
                }
                let answer = try await answer(from: url, by: conversation)
                try await print(answer)
                if let failure = conversation.failure(answer.response, from: url) { throw failure }
                next = followsPages ? try Self.page(after: answer) : nil
            }
        }
    }

    /// Returns the address of the page after a response; `nil` if it is the last one. The token goes only to the same origin.
    private static func page(after answer: ResourceResponse) throws(AuthFailure) -> WebURL? {
        guard let target = LinkHeader.target(of: "next", in: answer.response.headers) else { return nil }
        guard let url = answer.url.resolving(target)?.normalized, url.origin == answer.url.origin, url.fragment == nil else {
            throw AuthFailure(
                .security, text: "the next page is not on \(answer.url.origin.authority), as its Link field says",
                hint: "the token was sent to \(answer.url.origin.authority) only")
        }
        return url
    }

    private func answer(from url: WebURL, by conversation: some ResourceConversation) async throws -> ResourceResponse {
        var plan = RetryPlan(limit: retries)
        while true {
            let failure: AuthFailure
            let pause: Duration
            do throws(AuthFailure) {
                let answer = try await conversation.answer(to: template.request(url))
                guard let error = conversation.failure(answer.response, from: url), transfer.mayRepeat,
                    let wait = plan.pause(after: error, answer.response, to: template.method, at: context.now)
                else { return answer }
                (failure, pause) = (error, wait)
            } catch {
                guard transfer.mayRepeat, let wait = plan.pause(after: error, nil, to: template.method, at: context.now) else {
                    throw error
                }
                (failure, pause) = (error, wait)
            }
            console.note("\(failure.summary); trying again in \(pause.wholeSeconds) s (\(plan.count) of \(plan.limit))")
            try await context.edges.time.sleep(until: context.edges.time.bootTime + pause)
        }
    }

    // MARK: Printing

    private func print(_ answer: ResourceResponse) async throws {
        if case .json = output { return try console.answer(answer, asJSON: true) }
        var printer = ContentPrinter(console)
        if case .headerAndBody = output { try printer.write(Self.header(of: answer.response)) }
        try printer.write(answer.response.body)
        if let rest = transfer.takeRest() {
            var progress = TransferProgress(
                total: answer.response.header("Content-Length").flatMap { Int($0) }, console: console, time: context.edges.time,
                display: context.diagnosticsDisplay)
            defer { progress.end() }
            while let piece = try await rest.next() {
                try printer.write(piece)
                progress.add(piece.count)
            }
        }
        try printer.end()
    }

    private static func header(of response: WebResponse) -> [UInt8] {
        let lines = ["HTTP \(response.status)"] + response.headers.map { "\($0.name): \($0.value)" } + ["", ""]
        return Array(lines.joined(separator: "\n").utf8)
    }
}

/// Decides whether a failed request is sent again, and when (RFC 9110 sections 9.2.2 and 10.2.3).
struct RetryPlan {
    /// The maximum number of times that a request is sent again.
    let limit: Int
    private(set) var count = 0

    /// The longest time to wait for a server, in seconds.
    private static let longestPause: Int64 = 300
    private static let idempotent: Set<String> = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]

    /// Returns how long to wait before the request is sent again; `nil` if it is not.
    ///
    /// - Parameters:
    ///   - response: the response; `nil` if there was none. A server that answers 429 or 503 did not carry the request out. After any other
    ///     failure, only a request that may be repeated is sent again.
    ///   - method: the request's method.
    mutating func pause(
        after failure: AuthFailure, _ response: WebResponse?, to method: WebRequest.Method, at now: Timestamp
    ) -> Duration? {
        guard case .unavailable = failure.kind, count < limit else { return nil }
        guard Self.idempotent.contains(method.rawValue) || response?.status == 429 || response?.status == 503 else { return nil }
        let wanted = response?.retryAfter(now: now)
        if let wanted, wanted > .seconds(Self.longestPause) { return nil }
        count += 1
        return max(wanted ?? .zero, .seconds(min(Int64(1) << min(count - 1, 5), 30)))
    }
}

/// The links of a response (RFC 8288).
enum LinkHeader {
    /// Returns the target of the first link with a relation type, as it is written. Links of another context (`anchor`) do not count.
    static func target(of relation: String, in headers: [(name: String, value: String)]) -> String? {
        for header in headers where header.name.asciiLowercased() == "link" {
            var reader = Reader(rest: Array(header.value.utf8)[...])
            while let link = reader.link() {
                if link.relations.contains(relation), !link.hasAnchor, !link.hasNoResults { return link.target }
            }
        }
        return nil
    }

    private struct Link {
        var target: String
        var relations: [String] = []
        var hasAnchor = false
        /// Whether nothing is there: Sentry names a next page after the last one, too.
        var hasNoResults = false
    }

    /// Reads one field value; a malformed rest ends it.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func link() -> Link? {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard take("<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            var link = Link(target: String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
            var hasRelation = false
            while parameterFollows() {
                skipSpace()
                let name = word().asciiLowercased()
                skipSpace()
                let value = take("=") ? self.value() : ""
                // Only the first one counts (section 3.3).
                if name == "rel", !hasRelation {
                    hasRelation = true
                    link.relations = value.asciiLowercased().split(separator: " ").map(String.init)
                }
                if name == "anchor" { link.hasAnchor = true }
                if name == "results" { link.hasNoResults = value == "false" }
            }
            return link
        }

        private mutating func parameterFollows() -> Bool {
            skipSpace()
            return take(";")
        }

        private mutating func value() -> String {
            skipSpace()
            guard take("\"") else { return word() }
            var text: [UInt8] = []
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() { text.append(escaped) } else { text.append(byte) }
            }
            return String(decoding: text, as: UTF8.self)
        }

        private mutating func word() -> String {
            let end = rest.firstIndex { !$0.isHTTPTokenByte && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") } ?? rest.endIndex
            defer { rest = rest[end...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }

        private mutating func skipSpace() { skip { $0 == 0x20 || $0 == 0x09 } }

        private mutating func skip(while condition: (UInt8) -> Bool) { rest = rest.drop(while: condition) }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }
    }
}
