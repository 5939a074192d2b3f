internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import ResourceClient

/// Sends a request to one URL after the other and prints the responses: follows their pages, and sends again what may be sent again.
struct RequestRun {
    let template: RequestTemplate
    let transfer: RequestTransfer
    let output: Output
    /// Whether the responses' `next` links are followed.
    let followsPages: Bool
    /// How often a failed request is sent again.
    let retries: Int
    let context: CommandContext

    /// How responses are printed.
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
                total: answer.response.header("Content-Length").flatMap { Int($0) }, console: console, time: context.edges.time)
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
