import ProcessHarness
import Testing

/// Words that a shell offers, with the script that the built program prints and the sessions of a throw-away home.
struct CompletionTests {
    /// What bash offers for the last of `words`, one a line.
    private static let completing = """
        source <("$1" completions bash)
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        COMP_LINE="$*"
        COMP_POINT=${#COMP_LINE}
        COMP_TYPE=9
        _yett yett "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    @Test(arguments: [
        (["yett", "log"], ["login", "logout"]), (["yett", "login", ""], ["sandbox"]), (["yett", "token", "sandbox/"], ["sandbox/ada"]),
        (["yett", "help", "exit"], ["exit-status"]), (["yett", "theme", "show", "dayl"], ["daylight"]),
        (["yett", "login", "--flow", "dev"], ["device"]),
    ])
    func bashOffersWhatThereIs(words: [String], offered: [String]) async throws {
        let home = try TemporaryHome()
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        try home.configure(sandbox, as: "sandbox")
        let path: [String: String?] = ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin", "BROWSER": Browser.following]
        let login = try await home.yett("login", "sandbox", with: path)
        #expect(login.status == 0, "\(login)")
        let bash = Program(
            "/bin/bash", ["--norc", "-c", Self.completing, "bash", try Product.program("yett")] + words,
            environment: home.environment(with: path), folder: home.path)
        let result = try await bash.run()
        #expect(
            result.output.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.map { String($0) }.sorted() == offered, "\(result)"
        )
    }
}
