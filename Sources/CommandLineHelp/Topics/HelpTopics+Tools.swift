extension HelpTopics {
    package static let tools = HelpPage(
        name: "tools", section: .overviews, summary: "tokens for git, kubectl, docker, AWS tools and mail programs",
        blocks: [
            .paragraph(
                """
                yett helper implements each tool's credential helper protocol. It renews a token if necessary. If the session has ended, the tool
                reports an error; then sign in again with yett login SESSION.
                """),
            .paragraph(
                """
                With sign_in = "on-demand" in [providers.NAME], the helpers, yett token and yett exec start the sign-in themselves and then go
                on, if you are present: at a terminal, in the foreground, or in a program of the desktop. Programs that wait share one sign-in.
                Jobs in the background, of cron or of systemd, over ssh without a terminal, with CI set or with GIT_TERMINAL_PROMPT=0 never
                open a window. yett request has --challenge for this, and yett mcp has --sign-in.
                """),
            .paragraph(
                """
                With policy = "ask" in [providers.NAME], the app asks you for each token if it is open, and otherwise the helper asks in the
                terminal where you run the tool. Where you cannot answer, the tool gets no token.
                """),
            .paragraph(
                """
                yett setup writes the tool's configuration and the provider's api_hosts for you: it shows the change, asks once, and then gets
                a token as the tool does. yett setup --list shows what is set up, and --remove undoes it. The rest of this page shows how to
                configure the tools by hand.
                """),
            .code([
                "yett setup git git.example.org work", "yett setup kubectl production work", "yett setup docker registry.example.org work",
                "yett setup aws dev work --role arn:aws:iam::123456789012:role/NAME", "yett setup mail work",
            ]),
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
            .paragraph(
                """
                git send-email gets its password the same way, if the mail server is in api_hosts with its port. Servers that accept the token
                as a password need nothing more; for others, git 2.51 and later have sendemail.smtpAuth = XOAUTH2.
                """),
            .code(["git config --global credential.smtp://smtp.example.org:587.helper '!yett helper git work'"]),
            .heading("kubectl"),
            .code([
                "users:", "- name: work", "  user:", "    exec:", "      apiVersion: client.authentication.k8s.io/v1",
                "      command: yett",
                "      args: [helper, kubectl, work]", "      interactiveMode: IfAvailable",
            ]),
            .paragraph(
                """
                If the cluster refuses a token that has not expired, kubectl runs the helper again, and the agent renews the token: at most once
                a minute for the same kubectl. Without an agent: yett helper kubectl work --force-refresh.
                """),
            .heading("docker"),
            .paragraph(
                """
                docker calls a program named docker-credential-yett. Create it in a folder of your PATH, and name it in
                ~/.docker/config.json, which podman, skopeo and buildah read too:
                """),
            .code(["#!/usr/bin/env sh", "exec yett helper docker \"$@\""]),
            .code(["{\"credHelpers\": {\"registry.example.org\": \"yett\"}}"]),
            .heading("AWS"),
            .paragraph("In ~/.aws/config, with the full path of yett:"),
            .code([
                "[profile work]",
                "credential_process = /usr/bin/yett helper aws work --role-arn arn:aws:iam::123456789012:role/NAME",
            ]),
            .paragraph(
                """
                The credentials of a role are sealed with the session until shortly before they end, and removed when you sign out or in again.
                yett helper aws work --role lists the roles that the provider names in your claims.
                """),
            .heading("Variables and files"),
            .paragraph(
                """
                A program that reads its token from a variable runs below yett exec, which names the variables as you want them. For a program
                that reads a file, the agent keeps one fresh; it is removed when you sign out or lock the store.
                """),
            .code(["yett exec work --env API_TOKEN -- ./deploy", "yett token work --file ~/.cache/work-token", "yett files"]),
            .heading("Mail"),
            .paragraph(
                """
                A program that supports XOAUTH2 or OAUTHBEARER needs only the token: set yett token work as msmtp's passwordeval, mbsync's
                PassCmd or mutt's imap_oauth_refresh_command. mbsync also needs a SASL plugin for XOAUTH2, such as Debian's package
                libsasl2-modules-kdexoauth2. For other programs, yett helper xoauth2 work and yett helper oauthbearer work print the
                response for the server, in base64.
                """),
        ],
        examples: [
            "yett setup git git.example.org work": "Sets up git for this host.",
            "git config --global credential.https://git.example.org.helper '!yett helper git'":
                "Lets git get its tokens from Yett.",
            "yett token work": "What the password command of a mail program runs.",
        ])
}
