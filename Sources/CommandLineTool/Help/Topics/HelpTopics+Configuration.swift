extension HelpTopics {
    /// Every key of the configuration; a test compares it with the reader's tables.
    static let configuration = HelpPage(
        name: "configuration", section: .files, summary: "the configuration file",
        blocks: [
            .heading("Where it is"),
            .paragraph(
                """
                $XDG_CONFIG_HOME/yett/config.toml, usually ~/.config/yett/config.toml. --config FILE or YETT_CONFIG name another one. It is
                TOML; a key that is not known is an error that names its line, so that a misspelt setting never counts for nothing.
                """),
            .code([
                "[ui]", "theme = \"gate\"", "", "[providers.work]", "kind = \"oidc\"", "issuer = \"https://id.example.org\"",
                "client_id = \"yett\"", "scopes = [\"openid\", \"profile\", \"offline_access\"]", "api_hosts = [\"api.example.org\"]",
            ]),
            .heading("[ui]"),
            .terms([
                .init("theme", "The theme's name: one of yett theme list. Usually \"gate\"."),
                .init("guest_prompt", "Whether the app asks guests to sign in. Usually true."),
                .init(
                    "mouse", "Whether the app takes presses and the wheel of the mouse. Usually true; Shift leaves them to the terminal."),
                .init(
                    "language",
                    "What the app speaks: \"en\", \"de\", \"es\", or \"auto\", the usual one: what LC_ALL, LC_MESSAGES or LANG ask for."),
            ]),
            .heading("[keys.SCREEN]"),
            .paragraph(
                """
                ACTION = KEY, or a list of keys; an empty list takes an action its keys. yett help keys has the names of screens and actions. A
                key is written as r, R, ctrl-r, alt-r, f5, enter, space or page-down. A key that two actions would have at the same time is an
                error.
                """),
            .heading("[store]"),
            .terms([
                .init(
                    "seal",
                    """
                    Where the key of the store is kept: \"passphrase\" asks you for it; \"secret-service\" keeps it in your login keyring;
                    \"key-file\" in a file beside the store, which protects from nobody who can read your files; \"memory\" keeps nothing.
                    \"auto\", the usual one, takes the first that this machine has.
                    """)
            ]),
            .heading("[agent]"),
            .terms([
                .init("lock_after", "Seconds without a request that needs the keys, after which the agent puts them away. Usually never."),
                .init(
                    "idle_exit", "Seconds without a request, a sign-in or anybody who watches, after which the agent ends. Usually never."),
                .init(
                    "hook",
                    """
                    A command that is run when a session cannot be renewed any more: one word, or an array of words, never a shell. It finds
                    YETT_EVENT, YETT_SESSION, YETT_PROVIDER, YETT_ACCOUNT and YETT_MESSAGE in its environment, and has ten seconds.
                    """),
                .init("notify", "true: say so on the desktop as well, by notify-send."),
            ]),
            .heading("[providers.NAME]: who it is"),
            .terms([
                .init("kind", kinds),
                .init(
                    "issuer",
                    "The provider's issuer, an https address, exactly as the provider writes it. http is taken for 127.0.0.1 and [::1]."),
                .init("client_id", "The client that is registered for you there."),
                .init(
                    "client_auth",
                    "How the client shows who it is: \"auto\", \"none\", \"client_secret_basic\", \"client_secret_post\", \"private_key_jwt\" or \"tls\"."
                ),
                .init("client_secret_file", "A file with the client's secret. The secret itself is not taken here."),
                .init("client_secret_command", "A command that prints it: an array of words, never a shell."),
                .init(
                    "client_key_file",
                    "A PEM file with the client's private key, not encrypted: for private_key_jwt, or that of client_certificate_file."),
                .init("client_key_id", "The name the provider knows that key by."),
                .init(
                    "client_certificate_file",
                    "A PEM file with the certificate that servers ask for, and its key if that has no file of its own."),
                .init("ca_file", "A PEM file with roots that count beside the system's."),
                .init(
                    "authorization_endpoint", "Where the person signs in. Endpoints are for a provider without metadata, and win over it."),
                .init("token_endpoint", "Where tokens come from."),
                .init("userinfo_endpoint", "Where the provider says who signed in."),
                .init("revocation_endpoint", "Where tokens are revoked (RFC 7009)."),
                .init("end_session_endpoint", "Where the provider's own session is ended."),
                .init("device_authorization_endpoint", "Where codes for another device come from (RFC 8628)."),
            ]),
            .heading("[providers.NAME]: how you sign in"),
            .terms([
                .init("scopes", "What to ask for. An oidc provider is always asked for \"openid\"."),
                .init(
                    "redirect",
                    """
                    Where the answer comes to. http://127.0.0.1/callback, the usual one, takes any free port; with a port it is that one or an
                    error; of a list, the first that is free. It must be registered at the provider, to the letter but for the port, which is
                    why it is the same for all. With several providers of which one does not send iss with its answers, register one of its
                    own there, such as http://127.0.0.1/callback/NAME: then an answer cannot be passed off as another provider's. yett
                    providers add --register does so by itself, and yett doctor says where it is missing. Where the provider shows a code instead
                    of sending the browser anywhere, it is urn:ietf:wg:oauth:2.0:oob, and you paste the code.
                    """),
                .init(
                    "paste_redirect",
                    """
                    For a provider that sends nobody to an address on loopback: an https page of yours in the place of redirect. You paste the
                    whole address once your browser is there.
                    """),
                .init(
                    "post_logout_redirect",
                    """
                    Where the browser comes back to after yett logout --browser: an address on loopback that is registered for this, or a list.
                    Left out, it does not come back.
                    """),
                .init(
                    "registered_scopes",
                    """
                    Written by --register: Yett registered this client itself, for these scopes. It registers the client again where the server
                    forgot it, and where a resource asks for more.
                    """),
                .init("browser", "The command that opens an address, instead of BROWSER and xdg-open."),
                .init("private", "Whether to ask for a private window."),
                .init(
                    "session_lifetime",
                    """
                    "kept", the usual one; "process": its sessions are revoked and forgotten when the app is quit, and when the agent stops.
                    """),
                .init("login_timeout", "How many seconds a sign-in may take. Usually 300."),
                .init("sign_up_url", "Where accounts are made, at a provider that does not say so itself."),
                .init("sign_in_label", "What signing in there is called in the app, instead of \"Sign in\"."),
                .init("sign_up_label", "What making an account there is called in the app, instead of \"Sign up\"."),
                .init("extra_params", "A table of parameters for the provider's sign-in page. None of Yett's own."),
                .init("par", "Pushed requests (RFC 9126): \"auto\" where offered, \"required\" or \"off\"."),
                .init(
                    "dpop",
                    """
                    "required" binds tokens to a key of the session (RFC 9449). Default: "off", because curl, git and other tools send a token as \
                    Bearer, and a bound one is refused then. A bound token is used with yett request or yett token --dpop.
                    """),
            ]),
            .heading("[providers.NAME]: what the tokens are for"),
            .terms([
                .init("api_hosts", "The hosts that may be sent this session's token: host or host:port."),
                .init(
                    "policy",
                    """
                    Whether programs are handed tokens: \"allow\", the usual one; \"ask\" asks you each time, in the app where it is open, else in the
                    terminal of the command, and takes 30 seconds of silence as a no; \"deny\" never.
                    """),
                .init("resource", "What is asked for by its address (RFC 8707): one or a list."),
            ]),
        ] + ownKeys)
}
