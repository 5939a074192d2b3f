import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

extension Given {
    /// Returns the entry for a token that a program got.
    static func use(
        _ path: String, _ ago: Duration, of session: String = "work/ada@example.org", scope: String = ""
    ) throws -> Activity {
        let note: UserMessage = scope.isEmpty ? .empty : UserMessage("phrase.limited_to_scope", ["scope": scope])
        return Activity(
            at: Sample.now - ago, kind: .issued, session: try Sample.name(session),
            message: UserMessage("activity.token_issued", ["program": UserMessage.verbatim(path), "restriction": note]))
    }

    /// The activity of four days, the oldest first: three programs, one of them new, and a cancelled sign-in.
    static func programActivity() throws -> [Activity] {
        let ada = try Sample.name("work/ada@example.org")
        let shell = UserMessage("phrase.program_through_yett", ["program": "/usr/bin/bash"])
        let refused = UserMessage(
            "activity.no_token_for_program",
            ["program": UserMessage.verbatim("/opt/tools/deploy"), "detail": UserMessage("restriction.consent_refused", ["session": ada])])
        return [
            Activity(
                at: Sample.now - .seconds(4 * 86_400), kind: .signedIn, session: ada,
                message: UserMessage("sign_in.done", ["host": "id.example.org"])),
            try use("/usr/bin/git", .seconds(3 * 86_400)),
        ] + (try (0..<14).reversed().map { try use("/usr/bin/git", .seconds(21_600 + 300 * Int64($0))) }) + [
            Activity(at: Sample.now - .seconds(14_400), kind: .renewed, session: ada, message: "renewal.done"),
            try use("/opt/tools/deploy", .seconds(7300), of: "lab/grace", scope: "read"),
            Activity(at: Sample.now - .seconds(7200), kind: .tokenRefused, session: ada, message: refused),
            Activity(at: Sample.now - .seconds(4000), kind: .signInFailed, session: ada, message: "sign_in.cancelled"),
            Activity(
                at: Sample.now - .seconds(3700), kind: .issued, session: ada,
                message: UserMessage("activity.token_issued", ["program": shell, "restriction": UserMessage.empty])),
            try fetch(.seconds(130)),
        ]
    }

    /// Returns the entry for a token that git got to fetch a repository.
    static func fetch(_ ago: Duration) throws -> Activity {
        let caller = UserMessage("phrase.program_command_by", ["program": "/usr/bin/git", "command": "fetch", "parent": "/usr/bin/zsh"])
        return Activity(
            at: Sample.now - ago, kind: .issued, session: try Sample.name("work/ada@example.org"),
            message: UserMessage(
                "activity.token_issued_for", ["program": caller, "destination": "git.example.org", "restriction": UserMessage.empty]))
    }

    /// Three running bridges: one that has called, one that has not, and one of another session.
    static func bridges() throws -> [RunningBridge] {
        func bridge(_ process: Int32, _ client: String, _ server: String, _ session: String, _ ago: Duration?) throws -> RunningBridge {
            RunningBridge(
                process: process, client: .verbatim("/usr/bin/\(client)"), server: try #require(WebURL(server)),
                session: try Sample.name(session), lastCall: ago.map { Sample.now - $0 })
        }
        return [
            try bridge(11, "claude", "https://mcp.example.org/mcp", "work/ada@example.org", .seconds(120)),
            try bridge(12, "cursor", "https://docs.example.org/", "work/ada@example.org", nil),
            try bridge(13, "zed", "https://other.example.org/mcp", "lab/grace", .seconds(5)),
        ]
    }

    /// A session whose tokens two bridges use.
    static func bridged() throws -> AppState {
        var state = try session()
        _ = state.take(.bridgesLoaded(try bridges(), at: Sample.now))
        return state
    }

    /// The activity with the use of tokens by several programs.
    static func programs() throws -> AppState {
        var state = try sessions()
        _ = state.take(.activityLoaded(try programActivity().reversed()))
        _ = state.press(.character("a"))
        return state
    }
}
