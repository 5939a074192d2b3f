extension HelpTopics {
    static let signIn = HelpPage(
        name: "sign-in", section: .overviews, summary: "the ways of signing in, and what to do when one does not work",
        blocks: [
            .heading("Ways"),
            .paragraph(
                """
                Every way that the provider offers stays open while you sign in. The first that succeeds ends the others, and Ctrl-C or Esc
                ends them all.
                """),
            .terms([
                .init(
                    "browser",
                    """
                    Your browser opens the provider's page, and its answer comes back to a port on this machine's loopback that is open only
                    for this. Nobody but the provider and you can end it: a wrong answer changes nothing.
                    """),
                .init(
                    "device",
                    """
                    You type a short code, or read a QR code with a telephone, in a browser on any device. While a browser is waited for, d asks
                    for one.
                    """),
                .init(
                    "manual",
                    """
                    You open the address anywhere and paste back the address that your browser ends on, even though it shows an error there.
                    That address is good for one sign-in, yours: never give it to a web site or to somebody who asks for it.
                    """),
            ]),
            .heading("On another machine, over SSH"),
            .paragraph(
                """
                Yett notices, and shows the line for ssh -L that lets the browser before you reach the port on the other machine. A code for
                another device or a paste work without it.
                """),
            .heading("When the browser does not come back"),
            .terms([
                .init("no browser opened", "Copy the address with c, or run yett login --no-open and open it yourself."),
                .init("the wrong account", "yett login --prompt select_account, or --private for a window that remembers nothing."),
                .init(
                    "\"redirect_uri\" refused", "The provider must know the address: yett providers redirect NAME prints what to register."),
                .init("anything else", "yett doctor looks at this machine, yett providers check NAME at the provider."),
            ]),
        ])

    static let sessions = HelpPage(
        name: "states", section: .overviews, summary: "what a session is, and the states it can be in",
        blocks: [
            .paragraph(
                """
                A session is what signing in gave for one account: tokens, what they are for, and until when. It is written PROVIDER/ACCOUNT, or
                PROVIDER where there is only one, or where yett switch chose one.
                """),
            .heading("States"),
            .terms([
                .init("guest", "Nobody is signed in, and the provider serves guests."),
                .init("signing_in", "A sign-in is under way."),
                .init("signed_in", "There is a fresh token."),
                .init("expiring", "The token ends within a minute."),
                .init("renewing", "A new token is being asked for."),
                .init("expired", "The token ended; the next who asks gets a new one."),
                .init("needs_sign_in", "The token ended, and nothing is left to renew it with."),
                .init("revoked", "The provider ended the session."),
                .init("error", "The last renewal failed; trying again may help."),
            ]),
            .heading("Renewal"),
            .paragraph(
                """
                Whoever asks for a token gets one that is good for at least a minute more. It is renewed once for all who ask at the same time, in
                this process and in others, and the new refresh token is on the disk before the new token is handed out. Nothing that runs in the
                background ever opens a browser.
                """),
        ])

    static let files = HelpPage(
        name: "files", section: .overviews, summary: "the files that Yett keeps",
        blocks: [
            .paragraph("Folders have mode 0700 and files 0600; others than these are refused."),
            .terms([
                .init("~/.config/yett/config.toml", "The configuration ($XDG_CONFIG_HOME); see yett help configuration."),
                .init("~/.config/yett/themes/", "Your own themes, NAME.toml."),
                .init("~/.local/share/yett/", "The store of sessions, sealed, and its key file where there is one ($XDG_DATA_HOME)."),
                .init("~/.local/state/yett/", "Logs and what happened, activity.jsonl ($XDG_STATE_HOME), without secrets."),
                .init("~/.cache/yett/", "Providers' metadata ($XDG_CACHE_HOME). May be deleted at any time."),
                .init("$XDG_RUNTIME_DIR/yett/agent.sock", "The agent's socket."),
            ]),
        ])

    static let environment = HelpPage(
        name: "environment", section: .overviews, summary: "the variables that Yett reads",
        blocks: [
            .terms([
                .init("YETT_CONFIG", "The configuration file, instead of the usual one."),
                .init("YETT_NO_AGENT", "1: work without an agent, as --no-agent does."),
                .init("YETT_PASSPHRASE_FILE", "A file that only you can read, with the store's passphrase in its first line."),
                .init("YETT_LOG", "debug: write a log, as --log does."),
                .init(
                    "BROWSER", "Commands that open an address, tried one after the other, with colons between. %s stands for the address."),
                .init("SSL_CERT_FILE, SSL_CERT_DIR", "Roots that count beside the system's."),
                .init("HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "Proxies; never used for this machine itself."),
                .init("NO_COLOR", "Not empty: no colours."),
                .init("TERM, COLORTERM", "What the terminal can do. TERM=dumb: plain prompts."),
                .init("LC_ALL, LC_CTYPE, LANG", "Whether the terminal shows more than ASCII."),
                .init("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME", "Where the configuration, the store and the logs are."),
                .init("XDG_CACHE_HOME, XDG_RUNTIME_DIR", "Where providers' metadata and the agent's socket are."),
                .init("SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY", "Whether a browser is at hand."),
            ])
        ])
}
