extension HelpTopics {
    /// Every key of the configuration; a test compares it with the reader's tables.
    static let configuration = HelpPage(
        name: "configuration", section: .files, summary: "the configuration file",
        blocks: [
            .heading("Location"),
            .paragraph(
                """
                $XDG_CONFIG_HOME/yett/config.toml. Default: ~/.config/yett/config.toml. Use --config FILE or YETT_CONFIG to read another
                file. The format is TOML. An unknown key is an error that names the line, so a misspelt setting is never ignored.
                """),
            .code([
                "[ui]", "theme = \"gate\"", "", "[providers.work]", "kind = \"oidc\"", "issuer = \"https://id.example.org\"",
                "client_id = \"yett\"", "scopes = [\"openid\", \"profile\", \"offline_access\"]", "api_hosts = [\"api.example.org\"]",
            ]),
            .heading("System files"),
            .paragraph(
                """
                An administrator can ship yett/config.toml in the folders of $XDG_CONFIG_DIRS, the most preferred first. Default: /etc/xdg.
                Your file is read over them, key by key: your value of a key replaces theirs, a list is replaced as a whole, and a provider
                in both files has the keys of both. A relative path in a file starts at the folder of that file. To hide a provider of a
                system file, set hidden = true in its table. yett providers list and yett doctor say which file each provider comes from.
                """),
            .paragraph(
                """
                A system file must belong to root or to you, and only its owner may be able to write it. Themes in yett/themes and presets
                in yett/presets of the same folders are available to all users.
                """),
            .paragraph(
                """
                With --config FILE or YETT_CONFIG, that file replaces your file and the system files, except for the keys that they lock.
                """),
            .heading("[policy], in system files only"),
            .terms([
                .init(
                    "locked",
                    """
                    A list of keys and tables that users cannot change, such as \"store.seal\", \"agent\", \"providers.work\",
                    \"providers.*.policy\" (each provider of the system files) or \"providers\" (no other providers). A user's value of a
                    locked key is ignored: the system files' value is used, or the default if they set none. A lock covers the keys that
                    could be used instead: client_secret_file and client_secret_command, redirect and paste_redirect, assertion_file
                    and assertion_command; issuer also covers the endpoints, and api_hosts also resource. \"presets\" means that the users' own presets are not read. yett config check
                    and yett doctor report it.
                    """)
            ]),
            .paragraph(
                """
                Locks prevent mistakes; they are not a security boundary. Users can change XDG_CONFIG_DIRS in their own environment, or run
                another program. A rule that must hold belongs on the provider's side.
                """),
            .heading("[ui]"),
            .terms([
                .init("theme", "The theme's name, as in yett theme list. Default: \"gate\"."),
                .init("guest_prompt", "Whether the app asks guests to sign in. Default: true."),
                .init(
                    "mouse", "Whether the app uses mouse clicks and the wheel. Default: true. Hold Shift to use the terminal's own mouse."),
                .init(
                    "motion",
                    """
                    How much on the screen moves: "full", "reduced" (no animation; a row still lights up when its session is used) or \
                    "off" (only times). Default: "reduced" over SSH and with NO_COLOR, otherwise "full".
                    """),
                .init(
                    "language",
                    "The app's language: \"en\", \"de\", \"es\" or \"auto\" (from LC_ALL, LC_MESSAGES or LANG). Default: \"auto\"."),
            ]),
            .heading("outside of tables, at the beginning of the file"),
            .terms([
                .init(
                    "client_document",
                    """
                    The https URL of your client metadata document. It is the client_id at providers that accept such documents, and no client
                    is registered there. Print the document with: yett providers client-document. Default: none.
                    """)
            ]),
            .heading("[keys.SCREEN]"),
            .paragraph(
                """
                ACTION = KEY, or a list of keys. An empty list removes all keys of an action. For the names of screens and actions, see
                yett help keys. Write a key as r, R, ctrl-r, alt-r, f5, enter, space or page-down. It is an error to give one key to two
                actions that are available at the same time.
                """),
            .heading("[store]"),
            .terms([
                .init(
                    "seal",
                    """
                    How the key of the store is protected. \"passphrase\": by a passphrase that you enter. \"secret-service\": in your login
                    keyring. \"system\": sealed by systemd to this machine and to you, with the TPM where there is one. \"security-key\":
                    opened by your FIDO2 security key, with its PIN and a touch. \"key-file\": in a file next to the store, which does not
                    protect it from anyone who can read your files. \"memory\": nothing is stored on disk. \"auto\": a new store uses the keyring, else systemd's service (systemd 256 or later), else a key file; an
                    existing store stays as it is. yett seal changes it. Default: \"auto\".
                    """)
            ]),
            .heading("[agent]"),
            .terms([
                .init("lock_after", "Seconds without a request that needs the keys before the agent locks the store. Default: never."),
                .init("idle_exit", "Seconds without a request, a sign-in or a watching client before the agent stops. Default: never."),
                .init(
                    "hook",
                    """
                    The command to run when a session can no longer be renewed: one word, or an array of words, never a shell. Its
                    environment has YETT_EVENT, YETT_SESSION, YETT_PROVIDER, YETT_ACCOUNT and YETT_MESSAGE. Time limit: 10 seconds.
                    """),
                .init("notify", "true: also show a desktop notification, with notify-send."),
                .init(
                    "forward",
                    """
                    The sessions that other machines may use: an array of PROVIDER, PROVIDER/ACCOUNT, or PROVIDER/* for all accounts. Default:
                    none. See: yett help forwarding.
                    """),
                .init(
                    "oidc_agent_socket",
                    "true: the agent also serves oidc-token and other clients of oidc-agent. Default: false. See: yett help oidc-agent."),
                .init(
                    "blocked_programs",
                    """
                    The programs that get no token from the agent: an array of full paths, such as ["/usr/bin/git"]. In the app, b in Activity \
                    blocks a program. A program can run another one that asks for it, so use policy to protect tokens from hostile programs. \
                    Default: none.
                    """),
            ]),
            .heading("[providers.NAME]: provider and client"),
            .terms([
                .init("kind", kinds),
                .init(
                    "issuer",
                    """
                    The provider's issuer, an https URL, exactly as the provider writes it. http is allowed for 127.0.0.1, [::1] and \
                    localhost only.
                    """),
                .init("client_id", "The ID of the client that is registered there."),
                .init(
                    "client_auth",
                    """
                    How the client authenticates: "auto", "none", "client_secret_basic", "client_secret_post", "private_key_jwt" or "tls". For \
                    services that differ: "client_secret_basic_raw" sends ID and secret unencoded, "client_secret_basic_empty" without a secret.
                    """
                ),
                .init("client_secret_file", "A file with the client secret. The secret itself must not be in the configuration."),
                .init("client_secret_command", "A command that prints the client secret: an array of words, never a shell."),
                .init(
                    "client_key_file",
                    "A PEM file with the client's private key, unencrypted: for private_key_jwt, or for client_certificate_file."),
                .init("client_key_id", "The ID of that key at the provider."),
                .init(
                    "client_certificate_file",
                    "A PEM file with the client certificate, and its key unless client_key_file names it."),
                .init("ca_file", "A PEM file with CA certificates to trust in addition to the system's."),
                .init(
                    "authorization_endpoint", "The sign-in page. Set endpoints for a provider without metadata; they override its metadata."
                ),
                .init("token_endpoint", "The token endpoint."),
                .init("userinfo_endpoint", "The userinfo endpoint."),
                .init("revocation_endpoint", "The revocation endpoint (RFC 7009)."),
                .init("end_session_endpoint", "The page that ends the provider's own session."),
                .init("device_authorization_endpoint", "The endpoint for device codes (RFC 8628)."),
            ]),
            .heading("[providers.NAME]: signing in"),
            .terms([
                .init("scopes", "The scopes to request. For kind oidc, \"openid\" is always requested."),
                .init(
                    "redirect",
                    """
                    The callback address. Default: http://127.0.0.1/callback, on any free port. With a port: that port or an error. A list: the
                    first that is free. Register the same address at the provider; only the port may differ, which is why the default is the
                    same for every provider. If one of several providers does not send iss in its callbacks, register a separate address for
                    it, such as http://127.0.0.1/callback/NAME: then its callback cannot be mistaken for another provider's. yett providers
                    add --register does this for you, and yett doctor reports where it is missing. For a provider that shows a code instead of
                    redirecting the browser, set urn:ietf:wg:oauth:2.0:oob and paste the code.
                    """),
                .init(
                    "paste_redirect",
                    """
                    For a provider that does not redirect to loopback: an https page of your own, instead of redirect. Paste the full address
                    when your browser gets there.
                    """),
                .init(
                    "post_logout_redirect",
                    """
                    Where the provider sends the browser after yett logout --browser: a loopback address that is registered for this, or a
                    list. Default: none; the browser stays at the provider.
                    """),
                .init(
                    "registered_scopes",
                    """
                    Written by --register: Yett registered this client itself, for these scopes. It registers the client again if the server
                    answers invalid_client, if a resource requires more scopes and you agree, or with: yett login NAME --register. A server
                    that deleted the client often says so in the browser only; then the sign-in runs out of time.
                    """),
                .init(
                    "sign_in_hosts",
                    """
                    For a provider with a resource whose page or device codes are on another host than its token endpoint, or these in another
                    domain than its issuer: all these hosts, as host or host:port, if they belong together, the one that gets the tokens last.
                    Otherwise that one could use your account at the other.
                    Written when you confirm it at a terminal; see: yett help assistants. Default: none; such a sign-in is refused.
                    """),
                .init("browser", "The command that opens a URL, instead of BROWSER and xdg-open."),
                .init("private", "Whether to open a private window. Default: false."),
                .init(
                    "session_lifetime",
                    """
                    "kept" or "process". With "process", sessions are revoked and forgotten when you quit the app or the agent stops.
                    Default: "kept".
                    """),
                .init("login_timeout", "The time limit of a sign-in, in seconds. Default: 300."),
                .init("sign_up_url", "The page that creates accounts, if the provider does not announce it."),
                .init("sign_in_label", "The app's label for signing in there. Default: \"Sign in\"."),
                .init("sign_up_label", "The app's label for creating an account there. Default: \"Sign up\"."),
                .init("extra_params", "A table of additional parameters for the provider's sign-in page. They cannot override Yett's own."),
                .init("par", "Pushed requests (RFC 9126): \"auto\" (if the provider offers them), \"required\" or \"off\"."),
                .init(
                    "dpop",
                    """
                    "required" binds tokens to a key of the session (RFC 9449). Default: "off", because curl, git and other tools send a token as \
                    Bearer, which servers refuse for a bound token. Use a bound token with yett request or yett token --dpop.
                    """),
            ]),
            .heading("[providers.NAME]: using tokens"),
            .terms([
                .init("api_hosts", "The hosts that this session's token may be sent to: host or host:port."),
                .init(
                    "policy",
                    """
                    Whether programs get tokens. \"allow\": always. \"ask\": Yett asks you each time, in the app if it is open, else in the
                    command's terminal; no answer within 30 seconds means no. \"deny\": never. Default: \"allow\".
                    """),
                .init(
                    "sign_in",
                    """
                    "manual" or "on-demand". With "on-demand", a helper, yett token or yett exec that finds no session starts the sign-in
                    itself, if you are at a terminal or a desktop; see: yett help tools. Default: "manual".
                    """),
                .init("hidden", "true: ignore this provider, for example one of a system file. Default: false."),
                .init("resource", "The resource to request tokens for (RFC 8707): one URI or a list."),
            ]),
        ] + ownKeys,
        examples: [
            """
            [ui]
            theme = "dusk"

            [agent]
            lock_after = 900

            [providers.work]
            kind = "oidc"
            issuer = "https://id.example.org"
            client_id = "yett"
            api_hosts = ["api.example.org"]
            """: "Another theme, a store that locks after 15 minutes, and one provider.",
            "yett doctor": "Checks the file after you changed it.",
        ])
}
