extension HelpTopics {
    static let exitStatus = HelpPage(
        name: "exit-status", section: .overviews, summary: "what an exit status says, and what to do next",
        blocks: [
            .terms([
                .init("0", "Done."),
                .init("1", "A bug, or a failure that nobody foresaw."),
                .init("2", "The configuration or the store is wrong; the message says where."),
                .init("3", "You cancelled it."),
                .init("4", "It timed out."),
                .init("5", "The provider refused, or answered with an OAuth error."),
                .init("6", "Sign in again: the grant is dead, or there is nothing to renew with."),
                .init("7", "Network or server trouble; trying again may help."),
                .init("8", "Refused for security: state, nonce, issuer, signature, redirect or TLS."),
                .init("9", "Not signed in."),
                .init("10", "Already signed in."),
                .init("64", "The command line is wrong."),
                .init("126, 127", "yett exec: the command cannot be run; there is no such command."),
                .init("129, 130, 143", "Ended by a signal: hang-up, interrupt, termination."),
            ]),
            .paragraph("Errors stand on standard error: yett: error: what happened, and where something can be done yett: hint: what."),
        ])

    static let security = HelpPage(
        name: "security", section: .overviews, summary: "what Yett protects, and from what it cannot",
        blocks: [
            .heading("Held"),
            .paragraph(
                """
                Every sign-in has PKCE, state and nonce of 256 bits each; answers are taken on loopback only, with the provider's issuer checked in
                all of them. Signature, issuer, audience, times and nonce of an ID token are checked by strict code of our own. Servers are not
                trusted: deadlines, size limits, no cookies, no credential ever follows a redirect to another place.
                """),
            .paragraph(
                """
                Tokens are sealed on the disk. No refresh token, passphrase or key is ever handed out, written to a log, an argument, an address or
                an error. An access token is in the environment of yett exec's command alone, and yett request sends it only to api_hosts and resource.
                """),
            .heading("Not held"),
            .paragraph(
                """
                Another program that runs as you can do what you can. A store that is sealed with a key file opens for whoever reads your files. A token
                that was handed out is out of Yett's hands until it ends or is revoked.
                """),
        ])

    static let json = HelpPage(
        name: "json", section: .overviews, summary: "what commands answer to programs",
        blocks: [
            .paragraph(
                """
                With --json the answer stands on standard output as one JSON object, whose member version is 1, and nothing else stands there.
                Times are in RFC 3339 and UTC; a member that is not known is null. States are the words of yett help states.
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
                A session that an app's backend gave, and of which nothing more is known, says so by one member more: \"kind\":\"opaque\".
                """),
            .paragraph(
                """
                yett login --json answers the object of its one session. Where there is none in the end, a line of standard error is the \
                failure as an object; rejected_callbacks counts answers that were not its own, where nothing else had come.
                """),
            .code([
                "{\"version\":1,\"error\":{\"kind\":\"security\",\"summary\":\"…\",\"hint\":\"…\",",
                " \"exit\":8,\"rejected_callbacks\":3}}",
            ]),
        ])
}
