internal import AuthEngine
internal import AuthModel
internal import ProviderKinds
internal import TerminalApp
internal import TerminalUI
internal import UserConfiguration

/// The help pages that are not about a single command, in their listed order.
enum HelpTopics {
    static let all = [
        configuration, keys, signIn, sessions, tools, prompt, shellKeys, assistants, agents, forwarding, oidcAgent, files, environment,
        exitStatus, security,
        json,
        sandboxVendors,
    ]

    static let signIn = HelpPage(
        name: "sign-in", section: .overviews, summary: "sign-in methods, and what to do if one fails",
        blocks: [
            .heading("Sign-in methods"),
            .paragraph(
                """
                While you sign in, you can use every method that the provider offers. The first to succeed ends the others. Ctrl-C or Esc
                cancels them all.
                """),
            .terms([
                .init(
                    "browser",
                    """
                    Your browser opens the provider's page. The provider then redirects it to a loopback port on this machine that is open
                    only while you sign in. Only the provider or you can end the sign-in: a wrong callback changes nothing.
                    """),
                .init(
                    "device",
                    """
                    Enter a short code in a browser on any device, or scan a QR code with a phone. While Yett waits for your browser, press d
                    to get a code.
                    """),
                .init(
                    "manual",
                    """
                    Open the sign-in URL in any browser, and paste the address that the browser ends on, even if the page shows an error.
                    That address completes your sign-in: never enter it on a web site or give it to anyone else.
                    """),
            ]),
            .heading("On another machine, over SSH"),
            .paragraph(
                """
                Yett detects SSH and shows the ssh -L command that lets your local browser reach the port on the other machine. Device
                codes and pasting the address work without it.
                """),
            .heading("If the sign-in does not complete"),
            .terms([
                .init("no browser opened", "Copy the URL with c, or run yett login --no-open and open it yourself."),
                .init("the wrong account", "Run yett login --prompt select_account, or use --private for a private window."),
                .init(
                    "\"redirect_uri\" refused", "Register the callback address at the provider: yett providers redirect NAME prints it."),
                .init("anything else", "yett doctor checks this machine, yett providers check NAME checks the provider."),
            ]),
        ],
        examples: [
            "yett login work": "Signs in with every method that the provider offers.",
            "yett login work --flow device": "Uses a device code only.",
            "yett login work --no-open": "Prints the URL, and leaves the browser to you.",
        ])

    static let sessions = HelpPage(
        name: "states", section: .overviews, summary: "what a session is, and its states",
        blocks: [
            .paragraph(
                """
                A session is the result of signing in to one account: its tokens, their scopes and their times. Write it as PROVIDER/ACCOUNT.
                PROVIDER alone means the only session there, or the default account that yett switch chose.
                """),
            .heading("States"),
            .paragraph("In JSON, the words are joined by underscores, and the state \(Words.state(.needsSignIn)) is needs_sign_in."),
            .terms([
                .init(Words.state(.guest), "Not signed in, and the provider accepts guests."),
                .init(Words.state(.signingIn), "A sign-in is in progress."),
                .init(Words.state(.signedIn), "The token is valid."),
                .init(Words.state(.expiring), "The token expires within a minute. If it is renewed in time, only JSON says so."),
                .init(Words.state(.renewing), "A new token is being requested."),
                .init(Words.state(.expired), "The token has expired; it is renewed at the next request."),
                .init(Words.state(.needsSignIn), "The token has expired and cannot be renewed. Sign in again."),
                .init(Words.state(.revoked), "The provider ended the session."),
                .init(Words.state(.error), "The last renewal failed; trying again may help."),
            ]),
            .heading("Renewal"),
            .paragraph(
                """
                A token that you get from Yett is valid for at least one more minute. Requests at the same time share one renewal, also
                across processes, and the new refresh token is on disk before the new token is issued. A background process never opens a
                browser.
                """),
        ],
        examples: [
            "yett status": "Shows the state of each session.",
            "yett renew work": "Renews a session before its token expires.",
        ])

    static let files = HelpPage(
        name: "folders", section: .overviews, summary: "Yett's files and folders",
        blocks: [
            .paragraph("Folders have mode 0700 and files have mode 0600. Yett refuses other modes."),
            .terms([
                .init("~/.config/yett/config.toml", "The configuration ($XDG_CONFIG_HOME); see yett help configuration."),
                .init(
                    "/etc/xdg/yett/", "The administrator's config.toml, themes/ and presets/ ($XDG_CONFIG_DIRS); not writable by others."),
                .init("~/.config/yett/themes/", "Your own themes: NAME.toml."),
                .init("~/.config/yett/presets/", "Your own presets of services: NAME.toml; see yett providers presets."),
                .init("~/.local/share/yett/", "The sealed store of sessions, and its key file, if any ($XDG_DATA_HOME)."),
                .init("~/.local/state/yett/", "Logs, the activity log, and the list of token files ($XDG_STATE_HOME); without secrets."),
                .init("~/.cache/yett/", "Cached provider metadata ($XDG_CACHE_HOME). You can delete it at any time."),
                .init("$XDG_RUNTIME_DIR/yett/agent.sock", "The agent's socket."),
                .init("$XDG_RUNTIME_DIR/yett/oidc-agent.sock", "The socket for clients of oidc-agent; see yett help oidc-agent."),
            ]),
        ],
        examples: [
            "yett doctor": "Checks the folders and their permissions.",
            "tar -czf yett-backup.tar.gz -C ~ .config/yett .local/share/yett":
                "Copies the configuration and the sealed store.",
        ])

    static let environment = HelpPage(
        name: "environment", section: .overviews, summary: "the variables that Yett reads",
        blocks: [
            .terms([
                .init("YETT_CONFIG", "The configuration file to use instead of the default."),
                .init("YETT_AGENT_SOCK", "The socket of an agent on another machine; see: yett help forwarding."),
                .init("YETT_NO_AGENT", "1: work without the agent, like --no-agent."),
                .init("YETT_PASSPHRASE_FILE", "A file that only you can read, with the store's passphrase on its first line."),
                .init("YETT_LOG", "debug: write a log, like --log."),
                .init(
                    "BROWSER", "Commands that open a URL, separated by colons; the first that works is used. %s stands for the URL."),
                .init("SSL_CERT_FILE, SSL_CERT_DIR", "CA certificates to trust in addition to the system's."),
                .init("HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "Proxies; never used for this machine itself."),
                .init("NO_COLOR", "Not empty: no colours."),
                .init("TERM, COLORTERM", "The terminal's capabilities. COLORTERM=truecolor: 24-bit colours. TERM=dumb: plain prompts."),
                .init("LC_ALL, LC_CTYPE, LANG", "Whether the terminal can show more than ASCII."),
                .init("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME", "Where the configuration, the store and the logs are."),
                .init("XDG_CONFIG_DIRS", "Folders, separated by colons, with system files in yett/. Default: /etc/xdg."),
                .init("XDG_CACHE_HOME, XDG_RUNTIME_DIR", "Where providers' metadata and the agent's socket are."),
                .init("SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY", "Whether a browser is available."),
            ])
        ],
        examples: [
            "YETT_NO_AGENT=1 yett status": "Works without the agent.",
            "BROWSER=firefox yett login work": "Signs in with another browser.",
        ])

    /// The keys of the app, generated from the key table.
    static let keys: HelpPage = {
        let reference = KeyReference()
        let introduction: [HelpPage.Block] = [
            .paragraph(
                """
                The app's keys, with the names of screens and actions that [keys.SCREEN] in the configuration uses. In the app, ? shows the keys of
                the current screen, and : finds any action as you type. On screens where letters are text, an action can only have a key
                that is not a letter, or a key with ctrl or alt. ctrl-c and ctrl-z do the same on every screen.
                """),
            .code(["[keys.sessions]", "renew = \"ctrl-r\"", "sort = [\"z\", \"f2\"]"]),
        ]
        return HelpPage(
            name: "keys", section: .files, summary: "the app's keys, and how to change them",
            blocks: reference.screens.reduce(introduction) { blocks, screen in
                let entries = reference.entries.filter { $0.screen == screen }
                return blocks + [
                    .heading(screen),
                    .terms(entries.map { .init($0.action, "\($0.keys.map(\.name).joined(separator: ", ")): \($0.help)") }),
                ]
            },
            examples: [
                """
                [keys.sessions]
                renew = "ctrl-r"
                """: "In config.toml, renews the selected session with Ctrl-R."
            ])
    }()
}

/// The parts of the manual that describe provider kinds.
extension HelpTopics {
    /// The provider kinds, as values of `kind`.
    static var kinds: String {
        let words = ProviderKind.allCases.map { "\"\($0.rawValue)\"" }
        return words.dropLast().joined(separator: ", ") + (words.last.map { " or \($0)." } ?? "")
    }

    /// The keys that not all kinds have, by kind.
    static var ownKeys: [HelpPage.Block] {
        var groups: [(kinds: [ProviderKind], keys: [KindKey])] = []
        for kind in ProviderKind.allCases where !kind.definition.keys.isEmpty {
            let keys = kind.definition.keys
            // Kinds with the same keys share one list.
            if let index = groups.firstIndex(where: { $0.keys.map(\.name) == keys.map(\.name) }) {
                groups[index].kinds.append(kind)
            } else {
                groups.append(([kind], keys))
            }
        }
        var explained: [String: String] = [:]
        var blocks: [HelpPage.Block] = []
        for group in groups {
            let new = group.keys.filter { explained[$0.name] != $0.meaning }
            let known = group.keys.map(\.name).filter { name in !new.contains { $0.name == name } }
            blocks.append(.heading("[providers.NAME]: kind " + group.kinds.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")))
            blocks.append(.terms(new.map { HelpPage.Term($0.name, $0.meaning) }))
            if !known.isEmpty { blocks.append(.paragraph("And with the meaning above: \(known.joined(separator: ", ")).")) }
            for key in new { explained[key.name] = key.meaning }
        }
        return blocks
    }
}
