extension HelpTopics {
    static let tools = HelpPage(
        name: "tools", section: .overviews, summary: "tokens for git, kubectl, docker, package managers, AWS tools and mail programs",
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
                "yett setup pip pypi.example.org work", "yett setup uv pypi.example.org work", "yett setup cargo internal work",
                "yett setup bazel cache.example.org work", "yett setup terraform app.example.org work", "yett setup rclone files work",
                "yett setup claude work", "yett setup codex gateway work",
            ]),
            .paragraph(
                """
                Git, docker, pip, uv, cargo, Bazel and Terraform name the host that they need a credential for. The host must be in a
                provider's api_hosts, as host or host:port, or in its resource. Other hosts get nothing.
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
            .paragraph("With a session of AWS IAM Identity Center, name the account and the role:"),
            .code([
                "[profile production]",
                "credential_process = /usr/bin/yett helper aws aws --account production --role ReadOnlyAccess",
            ]),
            .paragraph(
                """
                yett exec aws --aws production/ReadOnlyAccess -- COMMAND gives the credentials to one command; with --refreshing it gets new ones
                while it runs. yett console aws production/ReadOnlyAccess opens the AWS console.
                """),
            .heading("pip and uv"),
            .paragraph(
                """
                Both run a program named keyring, if keyring-provider is subprocess in pip.conf or uv.toml. Create it in a folder of your
                PATH. Give the index a user name in its URL, such as https://oauth2@pypi.example.org/simple/: uv and older versions of pip
                ask only then, and uv also for an index with authenticate = "always".
                """),
            .code(["#!/usr/bin/env sh", "exec yett helper keyring \"$@\""]),
            .heading("cargo"),
            .paragraph(
                """
                cargo 1.74 and later run a program, here one that contains exec yett helper cargo "$@". Name it in ~/.cargo/config.toml:
                """),
            .code([
                "[registries.internal]", "index = \"sparse+https://cargo.example.org/\"",
                "credential-provider = [\"/home/ada/.local/bin/cargo-credential-yett\"]",
            ]),
            .heading("Bazel and Terraform"),
            .paragraph(
                """
                Both run a program. For Bazel, it contains exec yett helper bazel "$@"; name it in .bazelrc. For Terraform, it contains exec
                yett helper terraform "$@", and is ~/.terraform.d/plugins/terraform-credentials-yett; turn it on in ~/.terraformrc.
                """),
            .code([
                "common --credential_helper=cache.example.org=/home/ada/.local/bin/bazel-credential-yett", "credentials_helper \"yett\" {}",
            ]),
            .heading("curl, rclone and assistants"),
            .paragraph(
                """
                Set yett token work as rclone's bearer_token_command, or as the command of a model provider in Codex, and yett helper
                anthropic work as Claude Code's apiKeyHelper. yett helper headers prints JSON for Claude Code's headersHelper. curl reads a request's lines:
                """),
            .code(["yett helper curl https://api.example.org/me | curl --config -"]),
            .heading("Variables and files"),
            .paragraph(
                """
                A program that reads its token from a variable runs below yett exec, which names the variables as you want them. For a program
                that reads a file, the agent keeps one fresh; it is removed when you sign out or lock the store.
                """),
            .code(["yett exec work --env API_TOKEN -- ./deploy", "yett token work --file ~/.cache/work-token", "yett files"]),
            .paragraph(
                """
                gh takes GH_TOKEN. npm has no helper; let ~/.npmrc name a variable, which only npm gets, as in the third line:
                """),
            .code([
                "yett exec github --env GH_TOKEN -- gh pr list", "yett exec work --env NPM_TOKEN -- npm install",
                "//npm.example.org/:_authToken=${NPM_TOKEN}",
            ]),
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

    static let assistants = HelpPage(
        name: "assistants", section: .overviews, summary: "remote MCP servers for editors and assistants, with one sign-in",
        blocks: [
            .paragraph(
                """
                Remote servers of the Model Context Protocol want a token. Most clients sign in by themselves, keep tokens in plain files, and
                renew them each on their own: where a renewal replaces the refresh token, the second client is signed out. yett mcp stands
                between: clients talk to it over standard input and output, and it sends each request with a fresh token from the agent.
                """),
            .heading("set-up"),
            .paragraph("Sign in once. Then let yett write the client's configuration, for \(MCPClient.words):"),
            .code([
                "yett login https://mcp.example.org/mcp --register",
                "yett setup mcp example https://mcp.example.org/mcp --client claude",
            ]),
            .paragraph(
                """
                Or move all remote servers that the clients on this machine have already: yett setup mcp --all shows each change and asks.
                An entry with headers or other credentials of its own stays. --all --remove moves them back, and keeps what you changed
                meanwhile. --list shows which client has which server, and who keeps the tokens.
                """),
            .code(["yett setup mcp --list", "yett setup mcp --all", "yett setup mcp --all --remove"]),
            .paragraph("Other clients have a file like this:"),
            .code([
                "{ \"mcpServers\": { \"example\": { \"command\": \"yett\", \"args\": [\"mcp\", \"https://mcp.example.org/mcp\"] } } }"
            ]),
            .paragraph(
                """
                The session is the one whose resource is the URL, or the one that you name with --session, or with --account for several
                accounts at one server, each in a client's entry of its own. Two servers never share a session.
                The client needs no secret, and none is in its files, its environment, the command line or the log.
                """),
            .heading("when a sign-in is needed"),
            .paragraph(
                """
                A client that can show the address of a page (elicitation in URL mode) asks you to open one on this machine. It says which
                server, which session and which additional scopes; the sign-in starts when you click there, and the requests that wait are
                answered after it. In other clients, requests fail at once with the command to run. After you have signed in, in any
                terminal, they work again; restart nothing.
                """),
            .paragraph(
                """
                With --sign-in, or sign_in = "on-demand" in the provider's settings, the bridge opens your browser instead, once: if you do not
                sign in there, the next requests fail until you have. A server that refuses a token, or requires a stronger sign-in, opens
                it only for a request of the client, and once an hour. If a server wants more scopes, that takes your click or the command,
                unless you say --more-scopes. For a server that is new, --sign-in takes the options of yett login, such as --register. If a
                server has moved to another authorization server, the error names it, and yett login with the server's URL asks you before
                it signs in there.
                """),
            .paragraph(
                """
                If the page or the device code of a sign-in is on another host than the endpoint that gets the tokens, that one could use your
                account at the other; and if both are of another service than the issuer, the server could use that account. Yett knows the
                hosts of well-known services; all others it refuses until you confirm, by yett login at a terminal, that they belong together.
                Your answer is sign_in_hosts in the provider's settings.
                """),
            .heading("in tests"),
            .paragraph(
                """
                Where no user can answer, as in the conformance suite of the protocol, write all permissions into the command: the bridge signs in
                the first time, registers a client, and widens the session when the server says so. BROWSER names the program that opens the
                page, for example one that follows its redirects. Do this only with servers of your own: --yes answers the question whether the
                authorization server may sign you in.
                """),
            .code(["BROWSER=follow-redirects yett mcp http://localhost:3000/mcp --sign-in --register --yes --more-scopes"]),
            .heading("access that your company manages"),
            .paragraph(
                """
                Some servers accept your company's decision in place of a consent page (Enterprise-managed authorization): Yett exchanges the
                ID token of your company session for a grant for that server, and the grant for tokens. No page opens, also at a renewal. If
                the server's authorization server and your company's provider announce it (ID-JAG), yett login URL does this by itself; else
                name the session with --from. The client is the one that your company's administrator has registered for the server. A refusal
                is the answer: Yett opens no consent page instead. Where you cannot sign in at the company, write a provider with kind =
                "exchange", grant = "id-jag", from, the name of the company's provider, and assertion_file, a file with the ID token.
                """),
            .code([
                "yett login work",
                "yett login https://mcp.example.org/mcp --from work --client-id YOUR_CLIENT --client-secret-file secret.txt",
            ]),
            .heading("machines without a user"),
            .paragraph(
                """
                A machine signs in as a client of its own, or as a workload that its platform identifies by a JWT. Write the provider into
                config.toml, or add a service such as zoom-server with yett providers add; yett login NAME then opens no page, and the
                session renews without one. assertion_file must be readable by you alone; where a platform does not allow that, use
                assertion_command = ["cat", "/run/workload/token"].
                """),
            .code([
                "[providers.robot]", "kind = \"exchange\"", "grant = \"client_credentials\"    # or \"jwt-bearer\" with assertion_file",
                "issuer = \"https://auth.example.org\"", "client_id = \"robot\"",
                "client_key_file = \"robot.pem\"", "client_auth = \"private_key_jwt\"    # or client_secret_file alone",
                "resource = \"https://mcp.example.org/mcp\"",
            ]),
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
            "yett mcp https://mcp.example.org/mcp --sign-in --register": "Registers a client at a server that is new.",
        ])

    static let oidcAgent = HelpPage(
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
