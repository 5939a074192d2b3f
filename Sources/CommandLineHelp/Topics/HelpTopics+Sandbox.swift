import AuthModel
import OperatingSystem

extension HelpTopics {
    package static let sandboxVendors = HelpPage(
        name: "sandbox-vendors", section: .overviews,
        summary: "the vendors' systems that yett sandbox runs, and their settings",
        blocks: [
            .paragraph(
                """
                yett sandbox runs the systems of four vendors in addition to its OpenID provider, each on its own port, as far as their protocols
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

    /// The topic with the endpoints and settings that the installed `yett-sandbox` lists.
    package static func sandboxVendors(program: String?, environment: [String: String]) async -> HelpPage {
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
