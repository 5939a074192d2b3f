extension HelpTopics {
    static let exitStatus = HelpPage(
        name: "exit-status", section: .overviews, summary: "what each exit status means, and what to do next",
        blocks: [
            .terms([
                .init("0", "Done."),
                .init("1", "A bug, or an unexpected failure."),
                .init("2", "The configuration or the store has an error; the message says where."),
                .init("3", "Cancelled by you."),
                .init("4", "Timed out."),
                .init("5", "The provider refused, or returned an OAuth error."),
                .init("6", "Sign in again: the session has ended, or it cannot be renewed."),
                .init("7", "A network or server problem; trying again may help."),
                .init("8", "Refused: a security check failed (state, nonce, issuer, signature, redirect or TLS)."),
                .init("9", "Not signed in."),
                .init("10", "Already signed in."),
                .init("64", "The command line has an error."),
                .init("126, 127", "yett exec: the command cannot be run; the command was not found."),
                .init("129, 130, 143", "Ended by a signal: hang-up, interrupt, termination."),
            ]),
            .paragraph("Errors go to standard error: yett: error: what happened, and often yett: hint: what to do."),
        ],
        examples: [
            "yett token work > /dev/null || yett login work": "Signs in if there is no valid token."
        ])

    static let security = HelpPage(
        name: "security", section: .overviews, summary: "what Yett protects, and its limits",
        blocks: [
            .heading("Protected"),
            .paragraph(
                """
                A sign-in uses state, PKCE (unless the service refuses it) and, for an ID token, a nonce, with 256 bits each. Callbacks are accepted on loopback only, and the provider's
                issuer is checked in each of them. Yett strictly checks the signature, issuer, audience, times and nonce of an ID token.
                Servers are not trusted: every request has a time limit and a size limit, cookies are not kept, and a credential never
                follows a redirect to another host.
                """),
            .paragraph(
                """
                Tokens are sealed on disk. Refresh tokens, passphrases and keys are never given to programs, and never appear in logs,
                arguments, URLs or errors. An access token is only in the environment of the command that yett exec runs, and yett
                request sends it only to api_hosts and resource.
                """),
            .heading("Not protected"),
            .paragraph(
                """
                Another program that runs as you can do what you can do. Anyone who can read your files can open a store that is sealed
                with a key file. Yett cannot control a token that it issued to a program until the token expires or is revoked.
                """),
            .heading("The key of the store"),
            .terms([
                .init(
                    "passphrase",
                    "Protects a copied store, also from root, if the passphrase cannot be guessed. You enter it after each lock."),
                .init(
                    "secret-service",
                    "Protects a copy without your login keyring. Not from programs that run as you while the keyring is unlocked."),
                .init(
                    "system",
                    """
                    systemd seals the key to this machine and to you. A copied store does not open elsewhere; sign in again there. Not from
                    root, nor from programs that run as you. With a TPM, a stolen disk does not open in another machine. Without one, the host
                    key is in a file of root, /var/lib/systemd/credential.secret: a copy of the whole disk has it too. For root on systemd
                    before 256, systemd-creds seals it to the machine only. If the TPM is cleared or replaced, sign in again. If several
                    machines share your home, use another way: the store opens on one of them only.
                    """),
                .init(
                    "security-key",
                    """
                    A FIDO2 security key opens the store, with its PIN and a touch after each lock. A copied store does not open without
                    the key, also for root. Needs libfido2 (Debian: libfido2-1). Add a spare key: yett seal --add-key. Yett never sends a
                    PIN by itself, because a key blocks itself after some wrong ones. If you lose all keys, nothing opens the store: your
                    machine and your accounts are not affected, so move the store away and sign in again.
                    """),
                .init(
                    "key-file",
                    "Protects only a copy of the store without sessions.key. Not from anyone who can read your files."),
            ]),
        ],
        examples: [
            "yett agent lock": "Erases the keys from the agent's memory.",
            "yett seal": "Shows how the key of your store is kept.",
            "yett activity": "Shows which program used which token, and when.",
            "yett logout --all": "Revokes the tokens of all sessions, and forgets them.",
        ])

    static let json = HelpPage(
        name: "json", section: .overviews, summary: "the JSON output of commands",
        blocks: [
            .paragraph(
                """
                With --json, standard output has one JSON object and nothing else. Its member version is 1. Times are in RFC 3339 and UTC; an
                unknown value is null. For the states, see yett help states.
                """),
            .heading("yett status --json"),
            .code([
                "{\"version\":1,\"sessions\":[{\"session\":\"work/ada\",\"provider\":\"work\",",
                " \"account\":\"ada\",\"issuer\":\"https://id.example.org\",\"subject\":\"…\",",
                " \"state\":\"signed_in\",\"access_expires_at\":\"2026-01-01T12:00:00Z\",",
                " \"refresh_expires_at\":null,\"renewable\":true,\"next_renewal_at\":null,",
                " \"scopes\":[\"openid\"],\"granted_at\":\"2026-01-01T11:00:00Z\",",
                " \"last_used_at\":null,\"warnings\":[]}]}",
            ]),
            .paragraph(
                """
                A session that an app's backend issued without further details has one more member: \"kind\":\"opaque\".
                """),
            .paragraph(
                """
                yett login --json prints the object of the one session. If the sign-in fails, one line on standard error is the failure as \
                an object. If only wrong callbacks arrived, rejected_callbacks counts them.
                """),
            .code([
                "{\"version\":1,\"error\":{\"kind\":\"security\",\"summary\":\"…\",\"hint\":\"…\",",
                " \"exit\":8,\"rejected_callbacks\":3}}",
            ]),
        ],
        examples: [
            "yett status --json | jq -r '.sessions[] | select(.state == \"needs_sign_in\") | .session'":
                "Lists the sessions that need a new sign-in."
        ])

    static let sandboxVendors = HelpPage(
        name: "sandbox-vendors", section: .overviews,
        summary: "the vendors' systems that yett sandbox runs, and their settings",
        blocks: [
            .paragraph(
                """
                yett sandbox runs the systems of five vendors in addition to its OpenID provider, each on its own port, as far as their protocols
                are public. It prints the configuration that adds them as providers; with --json, the kind, origin, port and settings of each.
                --vendor runs only one of them. --list-vendors lists the endpoints and settings of each, and --set vendor.setting=value sets
                one at the start.
                """),
            .heading("Controls"),
            .paragraph(
                "With --request-log, each port also answers these requests, without a credential, and without TLS even if the port uses TLS:"
            ),
            .terms([
                .init(
                    "GET /__log",
                    """
                    The requests so far, as a JSON list: method, path, query, form, headers (lists of name and value), body, tls, received_at.
                    The list includes credentials.
                    """),
                .init("GET /__set", "Every setting and its value."),
                .init(
                    "POST /__set",
                    """
                    Changes the settings in a JSON object: {"delay_ms": 200}. clock_advance moves the system's own clock by a number of seconds,
                    and clear_log deletes the list of requests.
                    """),
                .init("GET /__certificate", "The certificate that clients currently see, in PEM; 404 if the setting tls is off."),
            ]),
            .paragraph(
                """
                An unknown setting or value is answered with 400 and changes nothing. In the setting answers, {origin} stands for the system's
                own address, and {NAME} for a query parameter.
                """),
        ],
        examples: [
            "yett sandbox --port 8080 --request-log": "Runs all of them, and records their requests.",
            "curl http://127.0.0.1:8080/__log": "Prints the requests to the system at this port.",
            "yett sandbox --list-vendors": "Lists the endpoints and settings of each.",
        ])

    /// The topic with the endpoints and settings that `yett-sandbox` lists.
    static func sandboxVendors(listing: String?) -> HelpPage {
        var page = sandboxVendors
        guard let listing else { return page }
        let lines = listing.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        page.blocks += [.heading("Endpoints and settings"), .code(lines)]
        return page
    }
}
