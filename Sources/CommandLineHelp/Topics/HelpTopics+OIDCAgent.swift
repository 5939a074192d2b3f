extension HelpTopics {
    package static let oidcAgent = HelpPage(
        name: "oidc-agent", section: .overviews, summary: "tokens for oidc-token and other clients of oidc-agent",
        blocks: [
            .paragraph(
                """
                Programs that get their tokens from oidc-agent get them from Yett's agent without a change: oidc-token, programs with
                liboidc-agent, and those with its libraries for Python and Go. Turn on a socket for them in config.toml:
                """),
            .code(["[agent]", "oidc_agent_socket = true"]),
            .paragraph("The clients find it by a variable. Start the agent and set the variable in your shell's start file:"),
            .code(["yett agent start", "export OIDC_SOCK=$XDG_RUNTIME_DIR/yett/oidc-agent.sock"]),
            .paragraph(
                """
                yett agent status prints the path. If XDG_RUNTIME_DIR is not set, the socket is in /tmp/yett-UID. The clients do not start an
                agent, so let yett agent units install a service, or use any command of yett first.
                """),
            .heading("accounts"),
            .paragraph(
                """
                An account is a session: work/ada, or work for the only or the default account. A request for an issuer gets the session at
                that issuer; if there are several, that of the default account. Sign in with yett login, not with oidc-gen.
                """),
            .code(["oidc-token work", "oidc-token https://login.example.org", "oidc-token --scope=openid work/ada", "oidc-add --loaded"]),
            .heading("what is answered"),
            .paragraph(
                """
                Access tokens, ID tokens, and the lists of accounts. A scope must be one of the session's, and an audience an absolute URI;
                if the provider issues no such token, the request fails. A minimum lifetime below 60 seconds counts as 60. Tokens that are
                bound to a key (DPoP) are refused, because these clients cannot use them. Nothing can be added, removed, locked or unlocked
                here, and no refresh token is ever issued.
                """),
            .paragraph(
                """
                policy, blocked_programs and the activity log apply as for yett token: the program is the one that connects, such as
                /usr/bin/oidc-token. What it calls itself is only shown in the activity. The socket answers your own user only, and ssh does
                not forward it: see yett help forwarding for that.
                """),
            .paragraph(
                """
                The messages are encrypted with libsodium, which must be installed (Debian: libsodium23). If it is missing, clients get an
                error that says so, and yett doctor reports it. The agent loads it only with this setting.
                """),
        ],
        examples: [
            "oidc-token work": "Prints an access token of the session work, with OIDC_SOCK set.",
            "yett agent status": "Shows the path of the socket.",
        ])
}
