internal import ArgumentParser

/// `yett helper`: gives tokens to tools in the protocols that they use.
struct HelperCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper", abstract: "Give tokens to git, kubectl, docker, AWS tools and mail programs.",
        discussion: """
            Each helper implements its tool's credential protocol; yett setup configures the tool, and yett help tools shows how to do that \
            by hand. If you are not signed in, a helper reports that and fails. With sign_in = "on-demand" in [providers.NAME], it starts \
            the sign-in, if you are at a terminal or a desktop.
            """,
        subcommands: [
            GitHelperCommand.self, KubectlHelperCommand.self, DockerHelperCommand.self, AWSHelperCommand.self, XOAuth2HelperCommand.self,
            OAuthBearerHelperCommand.self,
        ])
    static let examples: KeyValuePairs = [
        "git config --global credential.https://git.example.org.helper '!yett helper git'":
            "Lets git get its tokens from Yett.",
        "yett helper xoauth2 work --user ada@example.org": "Prints the response for a mail server.",
    ]
}
