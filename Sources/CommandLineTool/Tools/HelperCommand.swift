internal import ArgumentParser

/// `yett helper`: gives tokens to tools in the protocols that they use.
struct HelperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper", abstract: "Hand tokens to git, kubectl, docker, AWS tools and mail programs.",
        discussion: """
            Each speaks the language in which its tool asks for credentials; yett help tools shows what to write into the tool's own \
            configuration. None opens a browser: where the session has ended, they say so and fail.
            """,
        subcommands: [
            GitHelperCommand.self, KubectlHelperCommand.self, DockerHelperCommand.self, AWSHelperCommand.self, XOAuth2HelperCommand.self,
            OAuthBearerHelperCommand.self,
        ])
}
