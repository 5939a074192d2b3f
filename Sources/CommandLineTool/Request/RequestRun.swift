internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth

/// Sends a request to one URL after the other and prints the responses: follows their pages, and sends again what may be sent again.
struct RequestRun {
    let template: RequestTemplate
    let sender: ResourceTransport
    let output: Output
    /// Whether the next pages are requested that the responses name.
    let followsPages: Bool
    /// The maximum number of times that a failed request is sent again.
    let retries: Int

    /// The form in which responses are printed.
    enum Output {
        case body
        /// The status and the header fields, then the body.
        case headerAndBody
        case json
    }

    private var transfer: RequestTransfer { sender.transfer }
    private var context: CommandContext { sender.context }
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
                        hint: "the server's links are wrong; contact its administrator")
                }
                let answer = try await response(from: url, by: conversation)
                let body = try await print(answer)
                if let failure = refusal(in: answer, by: conversation) { throw failure }
                next = followsPages && !answer.isElsewhere ? try page(after: answer, body) : nil
            }
        }
    }

    /// Returns the failure that a response means, also a redirect that was not followed; `nil` for success.
    private func refusal(in answer: ResourceResponse, by conversation: some ResourceConversation) -> AuthFailure? {
        let (response, url) = (answer.response, answer.url)
        // Where no token was sent, a refusal says nothing about it.
        let meaning =
            answer.isElsewhere ? BearerDialect().failure(response, from: url.origin.authority) : conversation.failure(response, from: url)
        guard meaning != nil, sender.isFollowable(response) else { return meaning }
        do throws(AuthFailure) {
            _ = try template.request(url).redirect(status: response.status, location: response.header("Location"))
            return meaning
        } catch {
            var failure = error
            if answer.isElsewhere { failure.hint = nil }
            return failure
        }
    }

    /// Returns the address of the page after a response; `nil` if it is the last one. The token goes only to the same origin.
    private func page(after answer: ResourceResponse, _ body: [UInt8]) throws(AuthFailure) -> WebURL? {
        let host = answer.url.origin.authority
        func address(_ target: String) -> WebURL? {
            let url = answer.url.resolving(target)?.normalized
            return url?.origin == answer.url.origin && url?.fragment == nil ? url : nil
        }
        if let target = LinkHeader.target(of: "next", in: answer.response.headers) {
            if let url = address(target) { return url }
            throw AuthFailure(
                .security, text: "the next page is not on \(host), as its Link field says", hint: "the token was sent to \(host) only")
        }
        guard answer.isJSON, !body.isEmpty else { return nil }
        let limits = JSONValue.Limits(bytes: NextPage.limit, depth: 128, values: 1_000_000)
        guard let document = try? JSONValue(strict: body, limits: limits) else {
            console.warning("whether there are more pages is not known: the response of \(host) is too large, or not valid JSON")
            return nil
        }
        switch NextPage(in: document) {
        case .last: return nil
        case .link(let target):
            if let url = address(target) { return url }
            console.warning("there are more pages, which were not requested: their address is not on \(host)")
        case .unaddressed(let member):
            console.warning("there are more pages, which were not requested: \(host) names the next one in \(member), without its address")
        }
        return nil
    }

    private func response(from url: WebURL, by conversation: some ResourceConversation) async throws -> ResourceResponse {
        var plan = RetryPlan(limit: retries)
        while true {
            let failure: AuthFailure
            let pause: Duration
            do throws(AuthFailure) {
                let request = template.request(url)
                let answer = try await sender.following(try await conversation.response(to: request), to: request)
                guard let error = refusal(in: answer, by: conversation), transfer.mayRepeat,
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

    /// Prints a response, and returns its body, as far as the next page is looked for in it.
    private func print(_ answer: ResourceResponse) async throws -> [UInt8] {
        var body = answer.response.body
        if case .json = output {
            try console.answer(answer, asJSON: true)
            return body
        }
        let limit = followsPages && answer.isJSON ? NextPage.limit : 0
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
                if body.count < limit { body += piece }
            }
        }
        try printer.end()
        return body
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
