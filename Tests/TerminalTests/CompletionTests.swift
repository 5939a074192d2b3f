import AuthEngine
import AuthModel
import ProcessHarness
import SessionStore
import TestSupport
import Testing

/// Tab completion in the real shells, with the script that the built program prints and the sessions of a temporary home.
@Suite(.startsPrograms) struct CompletionTests {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// Labels that older versions took from a provider's claims; each would make the file X if a shell expanded it.
    private static let hostileLabels = [
        "$(touch X)", "`touch X`", "a;touch X", "a' ;touch X; '", "a\";touch X;\"", "a&touch X", "a|touch X", "a>X", "*", "?[a]{b,c}",
        "~", "-rf", "#a", "!!", "a b\\", "$HOME", "${X:=x}", "a[$(touch X)]", "日本", "=ls", "%1", "<(touch X)", "d:e@f=g",
    ]

    private func home(_ labels: [String] = hostileLabels) async throws -> TemporaryHome {
        let home = try TemporaryHome()
        let keys = "kind = \"oidc\"\nissuer = \"https://127.0.0.1:9\"\nclient_id ="
        try home.configure("[store]\nseal = \"key-file\"\n[providers.dot]\n\(keys) \"dot\"\n[providers.lab]\n\(keys) \"lab\"\n")
        let store = try await SessionStore.open(
            directory: home.path + "/data/yett", source: .keyFile(home.path + "/data/yett/sessions.key"), time: SystemTimeSource())
        try await store.insert(
            try labels.map { try Self.session("lab/" + $0) } + ["dot/ada", "dot/adam@example.org"].map { try Self.session($0) })
        return home
    }

    private static func session(_ text: String) throws -> SessionRecord {
        guard let name = SessionName(text) else { throw HarnessError("no session can be called \(text)") }
        let now = SystemTimeSource().now
        let tokens = TokenSet(
            accessToken: Secret("access"), tokenType: "Bearer", accessExpiresAt: now + .seconds(3_600), refreshToken: nil,
            refreshExpiresAt: nil, idToken: nil, scopes: [], receivedAt: now)
        let summary = SessionSummary(
            name: name, issuer: "https://127.0.0.1:9", subject: text, recordedState: .signedIn, accessExpiresAt: tokens.accessExpiresAt,
            refreshExpiresAt: nil, isRenewable: false, scopes: [], grantedAt: now, receivedAt: now)
        return SessionRecord(
            summary: summary, tokens: tokens, identity: Identity(issuer: "https://127.0.0.1:9", subject: text), clientID: "yett")
    }

    /// Opens a terminal in which `shell` waits for a line, with completions for `yett`. A typed `yett` runs `yett-shown`, which prints one
    /// argument per line.
    private func terminal(_ shell: Shell, in home: TemporaryHome) async throws -> TmuxTerminal {
        let bin = home.path + "/bin"
        _ = try home.write("#!/bin/sh\nfor word do printf '<%s>\\n' \"$word\"; done\n", to: "bin/yett-shown", permissions: 0o700)
        // A typed `yett` prints its arguments; the requests of the completion script go to the real program.
        _ = try home.write(
            "#!/bin/sh\ncase $1 in\ncomplete | completions) exec '\(try Product.program("yett-main"))' --no-agent \"$@\" ;;\nesac\nexec yett-shown \"$@\"\n",
            to: "bin/yett", permissions: 0o700)
        let terminal = try await TmuxTerminal(
            home, size: .init(100, 60), with: ["PATH": "\(bin):/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"])
        switch shell {
        case .bash:
            try await terminal.run("source <(yett completions bash); bind 'set completion-query-items 0'; bind 'set page-completions off'")
        case .zsh:
            try await terminal.enter("exec zsh -f")
            try await terminal.enter(
                "PS1='\(TmuxTerminal.prompt) '; fpath=('\(home.path)/functions' $fpath); mkdir -p functions; yett completions zsh >functions/_yett; autoload -Uz compinit; compinit -u; LISTMAX=0; unsetopt promptsp; clear"
            )
        case .fish:
            try await terminal.enter("exec fish --no-config --private")
            try await terminal.enter(
                "function fish_prompt; echo '\(TmuxTerminal.prompt) '; end; set -g fish_autosuggestion_enabled 0; clear")
            try await terminal.wait(for: TmuxTerminal.prompt)
            try await terminal.enter("yett completions fish | source; clear")
        }
        try await terminal.wait(for: TmuxTerminal.prompt)
        try await ready(terminal)
        return terminal
    }

    /// Waits until the shell accepts a line.
    private func ready(_ terminal: TmuxTerminal) async throws {
        try await terminal.enter("echo re''ady")
        try await terminal.wait { $0.rows.contains("ready") }
        try await terminal.press("C-l")
        try await terminal.wait { !$0.rows.contains("ready") }
    }

    @Test(
        arguments: Shell.allCases,
        [
            ("yett log", ["login", "logout"]), ("yett token do", ["dot"]), ("yett token dot/ada", ["dot/ada", "dot/adam@example.org"]),
            ("yett theme show dayl", ["daylight"]), ("yett help exit", ["exit-status"]), ("yett login --flow dev", ["device"]),
            ("yett token --min", ["--min-valid"]), ("yett providers re", ["redirect", "remove"]), ("yett exec dot -- mkfif", ["mkfifo"]),
        ])
    func tabCompletesCommandsOptionsAndNames(shell: Shell, line: (String, [String])) async throws {
        let terminal = try await terminal(shell, in: try await home(["x"]))
        try await terminal.type(line.0)
        try await terminal.press("Tab")
        if line.1.count == 1 {
            let typed = line.0.split(separator: " ").dropLast().joined(separator: " ") + " "
            try await terminal.wait { $0.text.contains(typed + line.1[0]) }
        } else {
            try await terminal.press("Tab")
            try await terminal.wait { screen in
                let below = screen.rows.dropFirst().joined(separator: " ").split(separator: " ")
                return line.1.allSatisfy { word in below.contains { $0.hasSuffix(word) || word.hasSuffix($0) } }
            }
        }
    }

    /// Completes the rest of a name behind a character at which bash splits words.
    @Test(arguments: Shell.allCases)
    func tabCompletesBehindAWordBreakCharacter(shell: Shell) async throws {
        let terminal = try await terminal(shell, in: try await home(["d:e@f=g"]))
        for (start, rest) in [("token dot/adam@ex", "ample.org"), ("token lab/d:e@f", "=g"), ("login --flow=dev", "ice")] {
            try await terminal.type("yett \(start)")
            try await terminal.press("Tab")
            try await terminal.wait { $0.text.replacing("\\", with: "").contains("yett " + start + rest) }
            try await terminal.press("C-u", "C-l")
        }
    }

    /// Lists every hostile name and checks that none of them ran.
    @Test(arguments: Shell.allCases)
    func noNameRunsOnTab(shell: Shell) async throws {
        let crowd = try await home()
        let terminal = try await terminal(shell, in: crowd)
        for start in ["yett token lab/", "yett token 'lab/", "yett token \"lab/"] {
            try await terminal.type(start)
            try await terminal.press("Tab", "Tab")
            try await terminal.wait { $0.text.replacing("\\", with: "").contains("touch X") }
            // bash reads the next key once it has ended the second Tab. Ctrl-C before that would drop the keys behind it, too.
            if shell != .bash { try await terminal.press("C-c") }
            // A shell that was still busy with the second Tab took Ctrl-C for that alone, and kept the line.
            try await terminal.press("C-u")
            try await ready(terminal)
        }
        #expect(!crowd.files.contains { $0.hasSuffix("/X") })
    }

    @Test(arguments: Shell.allCases, hostileLabels)
    func hostileNameIsPassedUnchanged(shell: Shell, label: String) async throws {
        let home = try await home([label])
        let terminal = try await terminal(shell, in: home)
        try await terminal.type("yett token lab/")
        // The provider's own name is a prefix of the label, so the first Tab may only list.
        try await terminal.press("Tab")
        try await terminal.wait { screen in screen.rows.contains { $0.contains("yett token lab/") && !$0.hasSuffix("lab/") } }
        try await terminal.press("Enter")
        let wanted = "<lab/\(label)>"
        try await terminal.wait { $0.rows.contains(wanted) }
        #expect(!home.files.contains { $0.hasSuffix("/X") })
    }

    @Test func parsersOwnCompletionScriptIsNotPrinted() async throws {
        let result = try await TemporaryHome().yett("--generate-completion-script", "bash")
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains("use: yett completions bash, zsh or fish"))
    }
}
