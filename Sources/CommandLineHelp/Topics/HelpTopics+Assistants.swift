extension HelpTopics {
    package static let assistants = HelpPage(
        name: "assistants", section: .overviews, summary: "remote MCP servers for editors and assistants, with one sign-in",
        blocks: [
            .paragraph(
                """
                Remote servers of the Model Context Protocol want a token. Most clients sign in by themselves, keep tokens in plain files, and
                renew them each on their own: where a renewal replaces the refresh token, the second client is signed out. yett mcp stands
                between: clients talk to it over standard input and output, and it sends each request with a fresh token from the agent.
                """),
            .heading("set-up"),
            .paragraph("Sign in once. Then let yett write the client's configuration, for claude, cursor, vscode or zed:"),
            .code([
                "yett login https://mcp.example.org/mcp --register",
                "yett setup mcp example https://mcp.example.org/mcp --client claude",
            ]),
            .paragraph("Other clients have a file like this:"),
            .code([
                "{ \"mcpServers\": { \"example\": { \"command\": \"yett\", \"args\": [\"mcp\", \"https://mcp.example.org/mcp\"] } } }"
            ]),
            .paragraph(
                """
                The session is the one whose resource is the URL, or the one that you name with --session. Two servers never share a session.
                The client needs no secret, and none is in its files, its environment, the command line or the log.
                """),
            .heading("when a sign-in is needed"),
            .paragraph(
                """
                Requests fail at once with the command to run. After you have signed in, in any terminal, they work again; restart nothing.
                With --sign-in, or sign_in = "on-demand" in the provider's settings, the bridge opens your browser instead, once: if you do not
                sign in there, the next requests fail until you have. A server that refuses a token, or requires a stronger sign-in, opens
                it only for a request of the client, and once an hour. If a server wants more scopes, the error names the command: the
                bridge never requests more by itself.
                """),
            .heading("what it does"),
            .terms([
                .init("renewal", "All bridges of all clients share one. A refused token is replaced, and the request is sent again, once."),
                .init(
                    "requests",
                    """
                    Many at once; each gets exactly one answer. A request that the server may have carried out is never sent again: if its
                    connection breaks and cannot be resumed, the client gets an error that says so.
                    """),
                .init("sessions", "If the server has lost its session, the bridge opens another one, and the client notices nothing."),
                .init("versions", "The protocol of 2024-11-05 to 2025-11-25, and the one without sessions of 2026-07-28."),
                .init("redirects", "Followed within the server's origin only. The token goes nowhere else."),
                .init("end", "The end of input ends it within two seconds; the server hears of it."),
            ]),
        ],
        examples: [
            "yett mcp https://mcp.example.org/mcp": "Serves one client until its input ends.",
            "yett mcp https://mcp.example.org/mcp --sign-in": "Opens a browser if you have to sign in.",
        ])
}
