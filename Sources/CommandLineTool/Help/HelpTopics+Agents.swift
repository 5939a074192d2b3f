extension HelpTopics {
    static let agents = HelpPage(
        name: "agents", section: .overviews, summary: "an assistant that uses your services and holds no token",
        blocks: [
            .paragraph(
                """
                A coding assistant needs a model, git, and servers of your company. Give it commands instead of tokens: it calls Yett, and
                the agent keeps, renews and records every token. This page sets up one assistant with five services, from an empty home.
                """),
            .heading("1. sign in, once for each service"),
            .code([
                "yett login https://mcp.example.org/mcp --register", "yett login https://docs.example.org/mcp --register",
                "yett login git.example.org", "yett login work",
            ]),
            .paragraph("Here, work is your company's provider: for the model's gateway, the package index and the cluster."),
            .heading("2. set up the assistant"),
            .paragraph(
                "MCP servers: it gets a command in place of an address. Servers that any client on this machine has already move at once:"),
            .code([
                "yett setup mcp issues https://mcp.example.org/mcp --client claude",
                "yett setup mcp docs https://docs.example.org/mcp --client claude", "yett setup mcp --all",
            ]),
            .paragraph("The model, if a gateway takes your company's tokens. The host of its address goes to api_hosts:"),
            .code(["yett setup claude work", "yett setup codex gateway work"]),
            .heading("3. set up the tools that it runs"),
            .code([
                "yett setup git git.example.org git.example.org", "yett setup pip pypi.example.org work",
                "yett setup kubectl production work",
            ]),
            .paragraph(
                """
                The same with cargo, uv, bazel, terraform, rclone and docker. For a program that reads a variable, such as gh, let the
                assistant run the command below yett exec: the token is in the environment of that command only, and not in the assistant's.
                """),
            .code(["yett exec github --env GH_TOKEN -- gh pr list", "yett request work https://api.example.org/me"]),
            .paragraph(
                """
                Or let all its requests pass a proxy that adds the tokens of several sessions, each for its own api_hosts. The programs that
                it runs need no set-up then. With --isolated, it has no other way to the network, and cannot ask Yett. See yett help exec
                for what this protects from.
                """),
            .code(["yett exec work github --intercept -- claude", "yett exec work github --intercept --isolated --only -- claude"]),
            .heading("4. start it without secrets"),
            .paragraph(
                """
                Start the assistant from a shell without API keys: env -u GH_TOKEN -u OPENAI_API_KEY claude. Then see who keeps tokens of
                their own, and who used which session where:
                """),
            .code(["yett setup mcp --list", "yett setup --list", "yett activity"]),
            .heading("what this protects from, and what not"),
            .paragraph(
                """
                No file, variable or log that the assistant can read has a token that renews itself. Its configuration can be shared and
                backed up. A token that a tool gets is valid for minutes, goes to hosts in api_hosts only, and is in the activity. When you
                sign out or lock the store, the assistant has nothing.
                """),
            .paragraph(
                """
                But a program that runs as you can ask Yett as you can. With policy = "ask" in [providers.NAME], you confirm each use; with
                "deny", there is none. blocked_programs refuses single programs. An assistant that must not ask at all belongs below
                yett exec --intercept --isolated, or as another user with --user; or on another machine, with only the sessions that
                [agent] forward lists: see yett help forwarding.
                """),
        ],
        examples: [
            "yett setup mcp --all": "Moves the remote servers of all assistants to Yett.",
            "yett setup mcp --list": "Shows who keeps the tokens of which server.",
            "yett activity": "Shows which program used which session.",
        ])
}
