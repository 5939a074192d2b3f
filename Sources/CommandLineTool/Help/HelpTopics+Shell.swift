extension HelpTopics {
    static let prompt = HelpPage(
        name: "prompt", section: .overviews, summary: "your sessions in the shell prompt, starship and tmux",
        blocks: [
            .paragraph(
                """
                yett status --prompt prints one short line and uses no network. It names the session that needs you: ▲1 work 5m means that one
                session cannot renew itself and ends in five minutes; ▲1 work ended means that you must sign in again. If nothing needs you, it
                prints the time left of the only session (work 42m), or the number of sessions (8 ok). Without sessions it prints nothing. If the
                agent runs, this takes about a millisecond.
                """),
            .heading("bash"),
            .code(["PS1='$(yett status --prompt) '\"$PS1\""]),
            .heading("zsh"),
            .code(["setopt prompt_subst", "RPROMPT='$(yett status --prompt)'"]),
            .heading("fish"),
            .code(["function fish_right_prompt", "    yett status --prompt", "end"]),
            .heading("starship"),
            .paragraph("In ~/.config/starship.toml:"),
            .code(["[custom.yett]", "command = \"yett status --prompt\"", "when = true"]),
            .heading("tmux"),
            .code(["set -g status-right '#(yett status --prompt)'"]),
        ],
        examples: [
            "yett status --prompt": "Prints the line for all sessions.",
            "yett status work --prompt": "Prints the line for one session.",
        ])

    static let shellKeys = HelpPage(
        name: "shell-keys", section: .overviews, summary: "choose a session with a key of your shell",
        blocks: [
            .paragraph(
                """
                These lines make Ctrl-X Y open the list of yett pick and insert the name of the chosen session at the cursor. Ctrl-Y
                copies the session's token instead until you press a key, for at most 45 seconds, and Ctrl-E inserts a line that exports
                one. Esc changes nothing.
                """),
            .heading("bash"),
            .paragraph("In ~/.bashrc:"),
            .code([
                "yett_insert() {", "    local name; name=$(yett pick --print 2>/dev/null) || return",
                "    READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$name${READLINE_LINE:READLINE_POINT}",
                "    READLINE_POINT=$((READLINE_POINT + ${#name}))", "}", "bind -x '\"\\C-xy\": yett_insert'",
            ]),
            .heading("zsh"),
            .paragraph("In ~/.zshrc:"),
            .code([
                "yett-insert() { LBUFFER+=$(yett pick --print 2>/dev/null); zle reset-prompt }", "zle -N yett-insert",
                "bindkey '^Xy' yett-insert",
            ]),
            .heading("fish"),
            .paragraph("In ~/.config/fish/config.fish:"),
            .code([
                "function yett_insert", "    commandline -i -- (yett pick --print 2>/dev/null)", "    commandline -f repaint", "end",
                "bind \\cxy yett_insert",
            ]),
        ],
        examples: ["yett pick --print": "Prints the name of the chosen session."])

    static let forwarding = HelpPage(
        name: "forwarding", section: .overviews, summary: "your sessions on other machines, in containers and for other users",
        blocks: [
            .paragraph(
                """
                You sign in once, on the machine where you sit. Other machines get tokens from its agent while you are connected to them, and
                store nothing. List what they may use in config.toml:
                """),
            .code(["[agent]", "forward = [\"work\", \"git/*\"]"]),
            .paragraph(
                """
                The agent then also listens on forward.sock in $XDG_RUNTIME_DIR/yett. That socket lists these sessions and issues their tokens,
                nothing else: it cannot sign in or out, lock, unlock or stop, read another session or change anything. A provider with
                policy = "ask" asks you on your own machine, and one with policy = "deny" is refused.
                """),
            .paragraph(
                """
                The other machine gets the tokens as they are: --scope is refused there, a --min-valid above a minute has no effect, and --audience works
                only for a resource that [providers.NAME] lists on your machine. It causes at most one renewal of a session per minute, and
                it does not keep your store from locking when you are away.
                """),
            .heading("ssh"),
            .paragraph(
                """
                yett ssh HOST runs ssh with that socket forwarded. On the other machine, which needs yett but no settings, yett token, exec,
                request, helper and status then use it. yett status says through whom, and your activity names the host. The access ends
                with the connection. The host must permit the forwarding (AllowStreamLocalForwarding in sshd_config, by default yes).
                """),
            .code(["yett ssh build.example.org", "yett ssh build.example.org git fetch"]),
            .paragraph("For a connection of your own, choose a path there that only you can enter, and name it in the variable:"),
            .code([
                "ssh -R /run/user/1000/yett.sock:$XDG_RUNTIME_DIR/yett/forward.sock build.example.org",
                "export YETT_AGENT_SOCK=/run/user/1000/yett.sock",
            ]),
            .heading("containers"),
            .paragraph("Run the container as yourself: the agent answers only processes of your own user."),
            .code([
                "docker run --user $(id -u) -v $XDG_RUNTIME_DIR/yett/forward.sock:/run/yett.sock -e YETT_AGENT_SOCK=/run/yett.sock IMAGE"
            ]),
            .paragraph("In a dev container, devcontainer.json has the same two lines:"),
            .code([
                "\"mounts\": [\"source=${localEnv:XDG_RUNTIME_DIR}/yett/forward.sock,target=/run/yett.sock,type=bind\"],",
                "\"containerEnv\": { \"YETT_AGENT_SOCK\": \"/run/yett.sock\" }",
            ]),
            .heading("WSL"),
            .paragraph(
                """
                Distributions of one machine do not share /run, but they share /mnt/wsl. Run the agent in one of them, and forward to the
                others with a process of your own user:
                """),
            .code([
                "socat UNIX-LISTEN:/mnt/wsl/yett-$USER.sock,mode=600,fork UNIX-CONNECT:$XDG_RUNTIME_DIR/yett/forward.sock",
                "export YETT_AGENT_SOCK=/mnt/wsl/yett-$USER.sock",
            ]),
            .heading("another user"),
            .paragraph(
                """
                The agent answers no other user, so a command of another user cannot use the socket, and a root shell cannot either. Give one
                command what it needs instead; the token is then only in its environment:
                """),
            .code(["yett exec work -- sudo --preserve-env=ACCESS_TOKEN -u deploy ./deploy"]),
            .heading("many machines"),
            .paragraph(
                """
                For a fleet, the agent runs only on your own machine. Each host needs the program, and for helpers and request a provider's
                table with its issuer, client_id and api_hosts in /etc/xdg/yett/config.toml. One sign-in in the morning serves all of
                them: the agent renews once, for every connection. A thousand connections need a thousand open files of the agent, and no
                work while they are silent.
                """),
            .paragraph(
                """
                If the connection breaks, commands there fail at once with exit status 7 and name the socket; nothing falls back to another
                session. Who takes over a host can get fresh access tokens of the forwarded sessions while you are connected, and use those for as
                long as they are valid. They never get a refresh token or a passphrase. Close the connection, and nothing more can be had.
                So forward little, use policy = "ask" for what matters, and let providers keep access tokens short.
                """),
        ],
        examples: [
            "yett ssh build.example.org": "Opens a shell there, with the forwarded sessions.",
            "yett ssh build.example.org yett status": "Lists from there what is forwarded.",
        ])
}

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
