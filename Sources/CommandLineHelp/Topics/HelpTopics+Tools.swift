extension HelpTopics {
    package static let tools = HelpPage(
        name: "tools", section: .overviews, summary: "tokens for git, kubectl, docker, AWS tools and mail programs",
        blocks: [
            .paragraph(
                """
                yett helper implements each tool's credential helper protocol. It renews a token if necessary, and never opens a browser: if
                the session has ended, the tool reports an error; then sign in again with yett login SESSION.
                """),
            .paragraph(
                """
                Git and docker name the host that they need a credential for. The host must be in a provider's api_hosts, as host or
                host:port, or in its resource. Other hosts get nothing.
                """),
            .heading("git"),
            .code(["git config --global credential.https://git.example.org.helper '!yett helper git'"]),
            .paragraph(
                """
                If several sessions match, Yett uses the one of the user in the URL (https://ada@git.example.org). Or name the session: '!yett
                helper git work/ada'. If the server requires a particular user name, set credential.https://git.example.org.username.
                """),
            .heading("kubectl"),
            .code([
                "users:", "- name: work", "  user:", "    exec:", "      apiVersion: client.authentication.k8s.io/v1",
                "      command: yett",
                "      args: [helper, kubectl, work]", "      interactiveMode: IfAvailable",
            ]),
            .heading("docker"),
            .paragraph(
                "docker calls a program named docker-credential-yett. Create it in a folder of your PATH, and name it in ~/.docker/config.json:"
            ),
            .code(["#!/usr/bin/env sh", "exec yett helper docker \"$@\""]),
            .code(["{\"credHelpers\": {\"registry.example.org\": \"yett\"}}"]),
            .heading("AWS"),
            .paragraph("In ~/.aws/config, with the full path of yett:"),
            .code([
                "[profile work]",
                "credential_process = /usr/bin/yett helper aws work --role-arn arn:aws:iam::123456789012:role/NAME",
            ]),
            .heading("Mail"),
            .paragraph(
                """
                A program that supports XOAUTH2 or OAUTHBEARER needs only the token: set yett token work as msmtp's passwordeval, mbsync's
                PassCmd or mutt's imap_oauth_refresh_command. For other programs, yett helper xoauth2 work and yett helper oauthbearer work
                print the response for the server, in base64.
                """),
        ],
        examples: [
            "git config --global credential.https://git.example.org.helper '!yett helper git'":
                "Lets git get its tokens from Yett.",
            "yett token work": "What the password command of a mail program runs.",
        ])
}
