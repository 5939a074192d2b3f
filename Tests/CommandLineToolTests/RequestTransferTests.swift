import AuthEngine
import AuthModel
import Glibc
import OAuth
import OperatingSystem
import Sandbox
import Synchronization
import TestSupport
import Testing

@testable import CommandLineTool

/// `yett request` with bodies of any size, pages, and servers that are overloaded.
struct RequestTransferTests {
    private static let piece = [UInt8](repeating: 0x79, count: 1 << 20)

    /// Signs in at a sandbox whose tokens may be sent to a server that a test answers for.
    private func signedIn(
        _ answer: @escaping @Sendable (StandInServer.Request) -> StandInServer.Answer,
        _ body: (StandInServer, CommandWorld) async throws -> Void
    ) async throws {
        let server = try StandInServer(answer)
        try await withSession(SignInTests.honest, more: "api_hosts = [\"127.0.0.1:\(server.port)\"]\n") { _, world in
            try await body(server, world)
        }
    }

    private func largeFile(in world: CommandWorld) throws -> String {
        let path = world.home + "/large"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        for _ in 0..<70 { _ = Self.piece.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        return path
    }

    @Test func largeBodiesPassInBothDirections() async throws {
        try await signedIn({ _ in .init(body: Self.piece, count: 70) }) { server, world in
            let result = await world.run("request", "sandbox", server.origin + "/x", "-X", "PUT", "-d", "@" + (try largeFile(in: world)))
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.utf8.count == 70 << 20)
            let request = try #require(server.requests.first)
            #expect(request.method == "PUT" && request.bodySize == 70 << 20)
            #expect(request.header("Content-Length") == "\(70 << 20)")
            #expect(request.header("Content-Type") == "application/octet-stream")
        }
    }

    @Test func largeFileThatOthersCanChangeIsRefused() async throws {
        try await signedIn({ _ in .init() }) { server, world in
            let path = try largeFile(in: world)
            #expect(chmod(path, 0o622) == 0)
            let result = await world.run("request", "sandbox", server.origin + "/x", "-d", "@" + path)
            #expect(result.status == 2 && server.requests.isEmpty, "\(result.status) \(result.errors)")
        }
    }

    /// A file is read anew after the renewal that a refusal leads to.
    @Test func largeFileIsSentAgainAfterARefusal() async throws {
        let count = Mutex(0)
        let answer = { @Sendable (_: StandInServer.Request) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1
                ? StandInServer.Answer(status: 401, headers: ["WWW-Authenticate: Bearer error=\"invalid_token\""])
                : StandInServer.Answer(body: Array("done".utf8))
        }
        try await signedIn(answer) { server, world in
            let result = await world.run("request", "sandbox", server.origin + "/x", "-d", "@" + (try largeFile(in: world)))
            #expect(result.status == 0 && result.output == "done", "\(result.errors)")
            #expect(server.requests.map(\.bodySize) == [70 << 20, 70 << 20])
            #expect(Set(server.requests.map { $0.header("Authorization") }).count == 2)
        }
    }

    @Test func largeStandardInputIsSentOnce() async throws {
        let refusal = StandInServer.Answer(status: 401, headers: ["WWW-Authenticate: Bearer error=\"invalid_token\""])
        try await signedIn({ _ in refusal }) { server, world in
            let pieces = Mutex(3)
            let input = { @Sendable in
                pieces.withLock { left in
                    left -= 1
                    return left >= 0 ? Self.piece : nil
                }
            }
            let result = await world.run(["request", "sandbox", server.origin + "/x", "-d", "@-"], input: input)
            #expect(result.status != 0)
            #expect(result.errors.contains("cannot be sent again") && result.errors.contains("run the command again"), "\(result.errors)")
            #expect(server.requests.map(\.bodySize) == [3 << 20])
            #expect(server.requests.first?.header("Transfer-Encoding") == "chunked")
        }
    }

    @Test func smallStandardInputIsSentAsAFileIs() async throws {
        try await signedIn({ request in .init(body: request.body) }) { server, world in
            let isRead = Mutex(false)
            let input = { @Sendable in
                isRead.withLock { isRead in
                    defer { isRead = true }
                    return isRead ? nil : Array("{\"a\":1}".utf8)
                }
            }
            let result = await world.run(["request", "sandbox", server.origin + "/x", "-d", "@-"], input: input)
            #expect(result.output == "{\"a\":1}")
            #expect(server.requests.first?.header("Content-Type") == "application/json")
        }
    }

    /// A response that ends too early is an error, also after its beginning was printed.
    @Test func cutResponseIsAnError() async throws {
        try await signedIn({ _ in .init(body: Self.piece, count: 1, announced: 2) }) { server, world in
            let result = await world.run("request", "sandbox", server.origin + "/x")
            #expect(result.status == 7 && !result.errors.isEmpty, "\(result.status) \(result.errors)")
            #expect(result.output.utf8.count == 1 << 20)
        }
    }

    private static let beginnings: [(String, Int?, [String], Bool)] = [
        ("application/json; charset=utf-8", 20, [#"{"ok":fal"#], true), ("application/problem+json", nil, ["{"], true),
        ("text/plain", nil, [" \n", "{\n", " \"error\""], true), ("", nil, [], true),
        ("application/json", nil, [#"{"ok":"#, "false}\n"], false), ("application/json", nil, ["[1,"], false),
        ("text/plain", nil, ["a line"], false), ("application/json", nil, ["{" + String(repeating: " ", count: 70_000)], false),
        ("application/json", 70_000, [], false), ("text/event-stream", nil, [], false), ("application/x-ndjson", nil, [], false),
        ("application/stream+json", nil, [], false), ("image/png", nil, [], false),
        ("application/json", nil, ["\n", "{\"a\":1}\n"], false),
    ]

    /// Only a short JSON document may be a refusal, and is kept until its end. A stream is passed on as it comes.
    @Test(arguments: beginnings) func bodyIsKeptWhileItMayBeARefusal(type: String, size: Int?, pieces: [String], mayBe: Bool) {
        var headers: [(name: String, value: String)] = [("Content-Type", type)]
        if let size { headers.append(("Content-Length", "\(size)")) }
        var beginning = BodyBeginning(of: StreamedResponse(status: 200, headers: headers, body: ResponseBody([])))
        for piece in pieces { beginning.append(Array(piece.utf8)) }
        #expect(beginning.mayBeRefusal == mayBe)
        #expect(beginning.bytes == Array(pieces.joined().utf8))
    }

    @Test func headerIsPrintedBeforeTheBody() async throws {
        try await signedIn({ _ in .init(status: 201, headers: ["X-Kind: note"], body: Array("body".utf8)) }) { server, world in
            let result = await world.run("request", "sandbox", "-i", server.origin + "/x")
            #expect(result.output.hasPrefix("HTTP 201\n") && result.output.contains("\nX-Kind: note\n"))
            #expect(result.output.hasSuffix("\n\nbody"))
        }
    }

    @Test func pagesAreFollowedWithinTheServer() async throws {
        let answer = { @Sendable (request: StandInServer.Request) in
            switch request.target {
            case "/notes?page=2": StandInServer.Answer(headers: ["Link: </notes?page=1>; rel=prev, </notes?page=3>; rel=\"next last\""])
            case "/notes?page=3": StandInServer.Answer(body: Array("end".utf8))
            case "/away": StandInServer.Answer(headers: ["Link: <https://evil.example/>; rel=next"])
            case "/round": StandInServer.Answer(headers: ["Link: </round>; rel=next"])
            default: StandInServer.Answer(headers: ["Link: </notes?page=2>; rel=\"next\""], body: Array("begin ".utf8))
            }
        }
        try await signedIn(answer) { server, world in
            let result = await world.run("request", "sandbox", "--paginate", server.origin + "/notes")
            #expect(result.status == 0 && result.output == "begin end", "\(result.errors)")
            #expect(server.requests.map(\.target) == ["/notes", "/notes?page=2", "/notes?page=3"])
            let away = await world.run("request", "sandbox", "--paginate", server.origin + "/away")
            #expect(away.status == 8 && away.errors.contains("the next page is not on"), "\(away.status) \(away.errors)")
            let round = await world.run("request", "sandbox", "--paginate", server.origin + "/round")
            #expect(round.status == 7 && round.errors.contains("lead back"), "\(round.status) \(round.errors)")
        }
    }

    @Test func pagesThatTheBodyNamesAreFollowedWithinTheServer() async throws {
        let answer = { @Sendable (request: StandInServer.Request) -> StandInServer.Answer in
            let body =
                switch request.target {
                case "/items": #"{"results":[1],"next":"/items?page=2"}"#
                case "/items?page=2": #"{"results":[2],"paging":{"next":{"after":"3","link":"?page=3"}}}"#
                case "/away": #"{"results":[],"next":"https://evil.example/"}"#
                case "/cursor": #"{"results":[],"nextPageToken":"CAUQAA"}"#
                case "/damaged": "{"
                default: #"{"results":[3],"next":null}"#
                }
            return StandInServer.Answer(headers: ["Content-Type: application/json; charset=utf-8"], body: Array(body.utf8))
        }
        try await signedIn(answer) { server, world in
            for option in [["--paginate"], ["--paginate", "--json"]] {
                let count = server.requests.count
                let result = await world.run(["request", "sandbox", server.origin + "/items"] + option)
                #expect(result.status == 0 && result.output.contains("[3]"), "\(result.errors)")
                #expect(server.requests.dropFirst(count).map(\.target) == ["/items", "/items?page=2", "/items?page=3"])
            }
            for (path, word) in [("/away", "not on 127.0.0.1"), ("/cursor", "nextPageToken"), ("/damaged", "not known")] {
                let result = await world.run("request", "sandbox", server.origin + path, "--paginate")
                #expect(result.status == 0 && result.errors.contains("more pages") && result.errors.contains(word), "\(result.errors)")
                #expect(server.requests.last?.target == path)
                #expect(await !world.run("request", "sandbox", server.origin + path).errors.contains("more pages"))
            }
        }
    }

    /// Microsoft Graph, Zendesk, HubSpot, Facebook, Google, Slack and others.
    private static let documents: [(String, NextPage)] = [
        (#"{"@odata.nextLink":"https://graph.example/users?$skiptoken=x","value":[]}"#, .link("https://graph.example/users?$skiptoken=x")),
        (#"{"next_page":"https://a.example/tickets.json?page=2"}"#, .link("https://a.example/tickets.json?page=2")),
        (#"{"links":{"next":"/a?page[after]=x"},"meta":{"has_more":true}}"#, .link("/a?page[after]=x")),
        (#"{"links":{"next":"/a?page[after]=x"},"meta":{"has_more":false}}"#, .last),
        (#"{"paging":{"next":{"after":"x","link":"?after=x"}}}"#, .link("?after=x")),
        (#"{"paging":{"next":"https://graph.example/a?after=x"}}"#, .link("https://graph.example/a?after=x")),
        (#"{"next_page":2}"#, .unaddressed(member: "next_page")), (#"{"next":"x"}"#, .unaddressed(member: "next")),
        (#"{"response_metadata":{"next_cursor":"x"}}"#, .unaddressed(member: "response_metadata.next_cursor")),
        (#"{"response_metadata":{"next_cursor":""},"has_more":false}"#, .last), (#"{"has_more":true}"#, .unaddressed(member: "has_more")),
        (#"{"paging":{"next":{"after":"x"}}}"#, .unaddressed(member: "paging.next.after")),
        (#"{"next":null,"next_page_token":""}"#, .last), ("[]", .last), ("{}", .last),
    ]

    @Test(arguments: documents) func nextPageOfADocumentIsFound(document: String, page: NextPage) throws {
        #expect(NextPage(in: try JSONValue(strict: document)) == page)
    }

    /// The header says where a redirect that is not followed leads.
    @Test(arguments: ["GET", "HEAD", "POST"]) func redirectThatIsNotFollowedIsPrinted(method: String) async throws {
        let location = "http://127.0.0.1:9/files?signature=x"
        let answer = { @Sendable (_: StandInServer.Request) in
            StandInServer.Answer(status: 307, headers: ["Location: " + location])
        }
        try await signedIn(answer) { server, world in
            let result = await world.run("request", "sandbox", "-i", "-X", method, server.origin + "/a")
            #expect(result.status == 8 && result.errors.contains("to another host"), "\(result.status) \(result.errors)")
            #expect(result.output.hasPrefix("HTTP 307\n") && result.output.contains("\nLocation: \(location)\n"))
            #expect(server.requests.count == 1)
        }
    }

    @Test func redirectWithinTheServerIsFollowedForReadsOnly() async throws {
        let answer = { @Sendable (request: StandInServer.Request) in
            request.target == "/old"
                ? StandInServer.Answer(status: 302, headers: ["Location: /new"]) : StandInServer.Answer(headers: ["X-Kind: new"])
        }
        try await signedIn(answer) { server, world in
            for method in ["GET", "HEAD"] {
                let result = await world.run("request", "sandbox", "-i", "-X", method, server.origin + "/old")
                #expect(result.status == 0 && result.output.contains("X-Kind: new"), "\(result.errors)")
            }
            let written = await world.run("request", "sandbox", "-i", server.origin + "/old", "-d", "x")
            #expect(written.status == 5 && written.output.hasPrefix("HTTP 302\n"), "\(written.status) \(written.errors)")
            #expect(server.requests.map(\.method) == ["GET", "GET", "HEAD", "HEAD", "POST"])
        }
    }

    @Test func overloadedServerIsAskedAgain() async throws {
        let count = Mutex(0)
        let answer = { @Sendable (_: StandInServer.Request) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number < 3 ? StandInServer.Answer(status: 503, headers: ["Retry-After: 0"]) : .init(body: Array("done".utf8))
        }
        try await signedIn(answer) { server, world in
            let result = await world.run(
                ["request", "sandbox", "--retry", "2", server.origin + "/x"], time: HastyTime(over: SystemTimeSource()))
            #expect(result.status == 0 && result.output == "done", "\(result.errors)")
            #expect(result.errors.contains("(2 of 2)"), "\(result.errors)")
            #expect(server.requests.count == 3)
        }
    }

    /// `CONNECT` is not for a resource, and the answer to `TRACE` shows the token.
    @Test(arguments: ["CONNECT", "trace", "GET /", "G\rT", ""]) func someMethodsNeverCarryAToken(method: String) {
        #expect(throws: AuthFailure.self) { try RequestTemplate(method: method, headers: [], source: nil) }
        #expect(WebRequest.Method(rawValue: method.uppercased()) == nil)
    }

    @Test func onlyWhatChangesNothingIsRepeated() {
        let failure = AuthFailure(.unavailable(retryAfter: nil), text: "no answer")
        let now = Timestamp(seconds: 1_800_000_000)
        func pause(_ status: Int?, _ method: WebRequest.Method, _ header: String? = nil, after other: AuthFailure? = nil) -> Duration? {
            var plan = RetryPlan(limit: 1)
            let response = status.map { WebResponse(status: $0, headers: header.map { [("Retry-After", $0)] } ?? [], body: []) }
            return plan.pause(after: other ?? failure, response, to: method, at: now)
        }
        #expect(pause(nil, .get) == .seconds(1))
        #expect(pause(nil, .post) == nil, "the server may have carried it out")
        #expect(pause(502, .post) == nil)
        #expect(pause(503, .post, "7") == .seconds(7))
        #expect(pause(429, .post) == .seconds(1))
        #expect(pause(500, .get, "301") == nil, "too long to wait for")
        #expect(pause(403, .get, after: AuthFailure(.denied(code: nil), text: "refused")) == nil)
        var plan = RetryPlan(limit: 9)
        let pauses = (0..<10).map { _ in plan.pause(after: failure, nil, to: .get, at: now)?.wholeSeconds }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30, 30, nil])
    }

    @Test(arguments: [
        ("<a>; rel=next", "a"), ("<a>;rel=\"prev next\"", "a"), ("<a>; rel=prev, <b>; REL=NEXT", "b"),
        ("<a,b;c>; x=\"<,>\"; rel=next", "a,b;c"),
        ("<a>; rel=prev; rel=next", nil), ("<a>; rel=next; anchor=\"#x\"", nil), ("<a", nil), ("a; rel=next", nil), ("", nil),
        ("<a>; rel=\"ne\\xt\"", "a"), (", ,<a> ; rel = next", "a"),
        // Sentry names a page after the last one, too.
        ("<a>; rel=\"next\"; results=\"false\"; cursor=\"0:100:0\"", nil), ("<a>; rel=\"next\"; results=\"true\"", "a"),
    ])
    func linkIsFound(field: String, target: String?) {
        #expect(LinkHeader.target(of: "next", in: [("link", field)]) == target)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (99_949, "99.9 kB"), (99_950, "100 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"),
        (12_345_678, "12.3 MB"), (3_000_000_000, "3.0 GB"),
    ])
    func sizeIsShort(bytes: Int, text: String) { #expect(TransferProgress.size(bytes) == text) }

    @Test func progressNamesSizeAndSpeed() {
        #expect(TransferProgress.line(5_000_000, of: 20_000_000, after: .seconds(2)) == "5.0 MB of 20.0 MB, 2.5 MB/s")
        #expect(TransferProgress.line(0, of: nil, after: .zero) == "0 B, 0 B/s")
    }
}

/// How a response is printed while it arrives.
@Suite struct ContentPrinterTests {
    /// Returns what a terminal shows of a text that arrives in pieces.
    private func shown(_ text: some RandomAccessCollection<UInt8>, by size: Int) throws -> String {
        let written = Mutex<[UInt8]>([])
        let streams = Streams(
            isInputTerminal: false, isAnswerTerminal: true, isDiagnosticsTerminal: false,
            write: { (_, bytes) throws(SystemError) in written.withLock { $0 += bytes } }, line: { nil }, hiddenLine: { _ in nil })
        var printer = ContentPrinter(Console(streams: streams, environment: ["LANG": "en_GB.UTF-8"]))
        var rest = text[...]
        while !rest.isEmpty {
            try printer.write(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        try printer.end()
        return String(decoding: written.withLock(\.self), as: UTF8.self)
    }

    @Test(arguments: [1, 2, 3, 1000]) func linesAreWholeWhateverThePieces(size: Int) throws {
        let text = "one\ntwo\n\nZo\u{EB}\nlast"
        #expect(try shown(Array(text.utf8), by: size) == text + "\n")
    }

    /// Each byte is searched once and copied once, also if each arrives alone.
    @Test(arguments: [10_000, 20_000, 40_000]) func workGrowsWithTheBytes(count: Int) throws {
        let line = CountedReads([UInt8](repeating: UInt8(ascii: "a"), count: count))
        #expect(try shown(line, by: 1) == String(repeating: "a", count: count) + "\n")
        #expect(line.readCount <= 2 * count)
    }
}
