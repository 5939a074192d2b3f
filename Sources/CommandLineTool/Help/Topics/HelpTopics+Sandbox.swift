internal import AuthModel
internal import System

extension HelpTopics {
    static let sandboxVendors = HelpPage(
        name: "sandbox-vendors", section: .overviews,
        summary: "the vendors' systems that yett sandbox runs, and their settings",
        blocks: [
            .paragraph(
                """
                yett sandbox runs the systems of four vendors beside its OpenID provider, each on a port of its own, as far as their wire is
                public. Its output is the configuration that makes them providers; with --json, it names kind, origin, port and settings of each.
                --vendor runs one of them alone. --list-vendors lists the endpoints and settings of each, and --set vendor.setting=value changes
                one from the start.
                """),
            .heading("Controls"),
            .paragraph(
                "With --request-log, each port answers these as well, without a credential; also without TLS where the port speaks it:"),
            .terms([
                .init(
                    "GET /__log",
                    """
                    The requests so far, as a JSON list: method, path, query, form, headers (lists of name and value), body, tls, received_at.
                    Credentials are among them.
                    """),
                .init("GET /__set", "Every setting and its value."),
                .init(
                    "POST /__set",
                    """
                    Changes the settings of a JSON object: {"delay_ms": 200}. clock_advance moves the system's own clock by so many seconds, and
                    clear_log forgets the requests.
                    """),
                .init("GET /__certificate", "The certificate that is shown to clients now, in PEM; 404 where the setting tls is off."),
            ]),
            .paragraph(
                """
                An unknown setting or value is answered 400 and changes nothing. In the setting answers, {origin} stands for the system's own
                address, and {NAME} for a parameter of the query.
                """),
        ])

    /// The topic with the endpoints and settings that the installed `yett-sandbox` lists.
    static func sandboxVendors(program: String?, environment: [String: String]) async -> HelpPage {
        var page = sandboxVendors
        guard let program else { return page }
        let listing = await DetachedThread.run {
            try? CapturedOutput.run(program, ["--list-vendors"], environment: environment, limit: 1 << 20, deadline: .seconds(15))
        }
        if let listing, listing.status == 0 {
            let lines = String(decoding: listing.bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            page.blocks += [.heading("Endpoints and settings"), .code(lines.map(String.init))]
        }
        return page
    }
}
