extension HelpTopics {
    static let tools = HelpPage(
        name: "tools", section: .overviews, summary: "how git, kubectl, docker, AWS tools and mail programs get their tokens",
        blocks: [
            .paragraph(
                """
                yett helper speaks the language in which a tool asks for credentials. It renews a token where that is needed, and never opens a
                browser: where the session has ended, the tool says so, and yett login SESSION mends it.
                """),
            .paragraph(
                """
                Git and docker name the host that they want a credential for. It must be in api_hosts of a provider, host or host:port, or in its
                resource; of any other nothing is handed out.
                """),
            .heading("git"),
            .code(["git config --global credential.https://git.example.org.helper '!yett helper git'"]),
            .paragraph(
                """
                With several sessions that fit, the one of the user in the address is taken (https://ada@git.example.org), or name it: '!yett helper
                git work/ada'. Where the server wants a certain user beside the token, set credential.https://git.example.org.username.
                """),
            .heading("kubectl"),
            .code([
                "users:", "- name: work", "  user:", "    exec:", "      apiVersion: client.authentication.k8s.io/v1",
                "      command: yett",
                "      args: [helper, kubectl, work]", "      interactiveMode: IfAvailable",
            ]),
            .heading("docker"),
            .paragraph(
                "docker calls a program named docker-credential-yett; make it, in a folder of your PATH, and name it in ~/.docker/config.json:"
            ),
            .code(["#!/usr/bin/env sh", "exec yett helper docker \"$@\""]),
            .code(["{\"credHelpers\": {\"registry.example.org\": \"yett\"}}"]),
            .heading("AWS"),
            .paragraph("In ~/.aws/config, with the whole path of yett:"),
            .code([
                "[profile work]",
                "credential_process = /usr/bin/yett helper aws work --role-arn arn:aws:iam::123456789012:role/NAME",
            ]),
            .heading("Mail"),
            .paragraph(
                """
                A program that speaks XOAUTH2 or OAUTHBEARER itself wants the token alone: yett token work, as msmtp's passwordeval, mbsync's
                PassCmd or mutt's imap_oauth_refresh_command. yett helper xoauth2 work and yett helper oauthbearer work print what is sent to the
                server, in base64, for a program that does not.
                """),
        ])
}
