import AuthModel
import OAuth
import Synchronization
import Testing

@testable import AuthEngine
@testable import MCPBridge

/// Leading the user of a client to the page where a sign-in starts (elicitation in URL mode).
@Suite(.timeLimit(.minutes(10))) struct PageTests {
    private static let url = #"{"elicitation":{"url":{}}}"#

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool {
            get { value.withLock(\.self) }
            set { value.withLock { $0 = newValue } }
        }
    }

    private static func opening(_ version: String, _ capabilities: String) -> String {
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)","capabilities":\#(capabilities)}}"#
    }

    /// A server that wants another token until the user has signed in, except for what opens a session.
    private static func reply(_ version: String, _ isSignedIn: Flag? = nil) -> @Sendable (Int, WebRequest) -> StreamedResponse {
        { _, request in
            let body = String(decoding: request.body, as: UTF8.self)
            if body.contains("\"initialize\"") {
                return World.json(#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"\#(version)"}}"#)
            }
            guard let id = World.id(request) else { return World.status(request.method == .get ? 405 : 202) }
            return isSignedIn?.isSet == true ? World.json(World.result(id)) : World.status(401)
        }
    }

    private static func error(_ id: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32000,"message":"not signed in; sign in with: yett login"}}"#
    }

    private static let text = "not signed in. Open this page to sign in; nothing happens until you click there"

    private static func pageError(_ id: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32042,"message":"not signed in; sign in with: yett login","data":{"elicitations":["#
            + #"{"mode":"url","elicitationId":"offer","url":"\#(World.page)","message":"\#(text)"}]}}}"#
    }

    private static let complete =
        #"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"offer"}}"#

    /// Two requests wait for one page, and the client hears once that the user has signed in there.
    @Test func errorNamesThePageAndItsEndIsAnnounced() async throws {
        let mayEnd = Flag()
        let world = World(
            [Self.opening("2025-11-25", Self.url), World.ready, World.call(1), World.call(2)],
            atPage: {
                while !mayEnd.isSet, !Task.isCancelled { await Task.yield() }
                return !Task.isCancelled
            },
            mayGoOn: { state, _ in
                mayEnd.isSet = state.output.count >= 3
                return !state.input.isEmpty || state.output.count >= 4
            }, Self.reply("2025-11-25"))
        let output = try await world.run().output
        #expect(output.dropFirst().sorted() == [Self.pageError(1), Self.pageError(2), Self.complete].sorted())
        #expect(output.last == Self.complete)
    }

    /// The user closes the page, or the client ends.
    @Test func pageThatWasNotUsedIsNotAnnounced() async throws {
        let world = World(
            [Self.opening("2025-11-25", Self.url), World.ready, World.call(1)], atPage: { false },
            mayGoOn: { state, _ in !state.input.isEmpty || state.output.count >= 2 }, Self.reply("2025-11-25"))
        #expect(try await world.run().output.dropFirst() == [Self.pageError(1)])
    }

    @Test(arguments: [
        ("2025-11-25", "{}"), ("2025-11-25", #"{"elicitation":{}}"#), ("2025-11-25", #"{"elicitation":{"form":{}}}"#),
        ("2025-11-25", #"{"elicitation":{"url":true}}"#), ("2025-11-25", #"{"elicitation":{"url":null}}"#),
        // Earlier protocols do not have it.
        ("2025-06-18", url), ("2025-03-26", url),
    ])
    func otherClientsGetTheCommand(version: String, capabilities: String) async throws {
        let world = World(
            [Self.opening(version, capabilities), World.ready, World.call(1)], atPage: { true },
            mayGoOn: { state, _ in !state.input.isEmpty || state.output.count >= 2 }, Self.reply(version))
        #expect(try await world.run().output.dropFirst() == [Self.error(1)])
    }

    /// The server speaks an earlier version than the client wants.
    @Test func versionOfTheSessionDecides() async throws {
        let world = World(
            [Self.opening("2025-11-25", Self.url), World.ready, World.call(1)], atPage: { true },
            mayGoOn: { state, _ in !state.input.isEmpty || state.output.count >= 2 }, Self.reply("2025-06-18"))
        #expect(try await world.run().output.dropFirst() == [Self.error(1)])
    }

    @Test func openingCanLeadToThePage() async throws {
        for (version, answer) in [("2025-11-25", Self.pageError(0)), ("2025-06-18", Self.error(0))] {
            let world = World([Self.opening(version, Self.url)], atPage: { false }) { _, _ in World.status(401) }
            #expect(try await world.run().output == [answer])
        }
    }

    /// Other failures lead to no page.
    @Test func onlySignInsLeadToThePage() async throws {
        let world = World(
            [Self.opening("2025-11-25", Self.url), World.ready, World.call(1)],
            mayGoOn: { state, _ in !state.input.isEmpty || state.output.count >= 2 }, Self.reply("2025-11-25"))
        #expect(try await world.run().output.dropFirst() == [Self.error(1)])
    }

    // MARK: 2026-07-28

    private static func request(
        _ id: Int, _ method: String = "tools/call", _ capabilities: String = url, more: String = ""
    ) -> String {
        #"{"jsonrpc": "2.0","id":\#(id),"method":"\#(method)","params":{"name":"pay","arguments":{"n":1.50},"_meta":{"#
            + #""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":\#(capabilities)}"#
            + "\(more)}}"
    }

    private static func inputRequired(_ id: Int, state: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":{"resultType":"input_required","inputRequests":{"yett_sign_in":{"method":"elicitation/create","#
            + #""params":{"mode":"url","message":"\#(text)","url":"\#(World.page)"}}},"requestState":"yett sign-in \#(state)"}}"#
    }

    private static func again(_ action: String, state: String) -> String {
        #","inputResponses":{"yett_sign_in":{"action":"\#(action)"}},"requestState":"yett sign-in \#(state)""#
    }

    /// The request that the client sends again is answered after the sign-in, and the server sees it as it was at first.
    @Test(arguments: ["tools/call", "prompts/get", "resources/read"])
    func requestIsAnsweredAfterTheSignIn(method: String) async throws {
        let isSignedIn = Flag()
        let world = World(
            [Self.request(1, method), Self.request(2, method, more: Self.again("accept", state: "{}"))],
            atPage: {
                isSignedIn.isSet = true
                return true
            },
            mayGoOn: { state, _ in state.output.count >= 2 - state.input.count }, Self.reply("", isSignedIn))
        let state = try await world.run()
        #expect(state.output == [Self.inputRequired(1, state: "{}"), World.result(2)])
        #expect(
            state.sent.last.map { String(decoding: $0.body, as: UTF8.self) }?.replacing(" ", with: "")
                == Self.request(2, method).replacing(" ", with: ""))
        #expect(state.sent("yett").isEmpty)
    }

    /// The server itself has asked for input before: what the client had answered comes back to it.
    @Test func answersToTheServerAreKept() async throws {
        let isSignedIn = Flag()
        let own = #","inputResponses":{"a":{"action":"accept","content":{"n":1.0}}},"requestState":"s\"1""#
        let state = #"{\"inputResponses\":{\"a\":{\"action\":\"accept\",\"content\":{\"n\":1.0}}},\"requestState\":\"s\\\"1\"}"#
        let world = World(
            [Self.request(1, more: own), Self.request(2, more: Self.again("accept", state: state))],
            atPage: {
                isSignedIn.isSet = true
                return true
            },
            mayGoOn: { state, _ in state.output.count >= 2 - state.input.count }, Self.reply("", isSignedIn))
        let end = try await world.run()
        #expect(end.output == [Self.inputRequired(1, state: state), World.result(2)])
        #expect(
            end.sent.last.map { String(decoding: $0.body, as: UTF8.self) }?.replacing(" ", with: "")
                == Self.request(2, more: own).replacing(" ", with: ""))
    }

    /// A user who declines, closes the page or lets its time pass is not asked again.
    @Test(arguments: ["decline", "cancel", "accept", "ACCEPT"]) func refusalIsAccepted(action: String) async throws {
        let world = World(
            [Self.request(1), Self.request(2, more: Self.again(action, state: "{}"))], atPage: { false },
            mayGoOn: { state, _ in state.output.count >= 2 - state.input.count }, Self.reply(""))
        let state = try await world.run()
        #expect(state.output == [Self.inputRequired(1, state: "{}"), Self.error(2)])
        #expect(state.sent("yett").isEmpty)
    }

    @Test(arguments: [
        ("tools/list", url), ("server/discover", url), ("tools/call", "{}"), ("tools/call", #"{"elicitation":{"form":{}}}"#),
    ])
    func otherStatelessRequestsGetTheCommand(method: String, capabilities: String) async throws {
        let world = World([Self.request(1, method, capabilities)], atPage: { true }, Self.reply(""))
        #expect(try await world.run().output == [Self.error(1)])
    }

    /// A state that is not the bridge's belongs to the server.
    @Test func foreignStateIsPassedOn() async throws {
        for state in ["yett sign-in", "yett sign-in {", "other"] {
            let line = Self.request(1, more: #","requestState":"\#(state)""#)
            let world = World([line]) { _, request in World.json(World.result(World.id(request) ?? 0)) }
            #expect(try await world.run().sent.map { String(decoding: $0.body, as: UTF8.self) } == [line])
        }
    }

    /// The user's client no longer wants the answer while the user is at the page.
    @Test func cancelledRequestStopsWaiting() async throws {
        let world = World(
            [
                Self.request(1), Self.request(2, more: Self.again("accept", state: "{}")),
                #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
            ],
            atPage: {
                while !Task.isCancelled { await Task.yield() }
                return false
            },
            mayGoOn: { state, _ in state.input.count != 2 || !state.output.isEmpty }, Self.reply(""))
        let state = try await world.run()
        #expect(state.output == [Self.inputRequired(1, state: "{}")])
        #expect(!state.sent.contains { World.id($0) == 2 })
    }
}
