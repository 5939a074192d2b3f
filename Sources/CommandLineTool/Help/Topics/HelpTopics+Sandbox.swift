internal import Sandbox

extension HelpTopics {
    static let sandboxVendors = HelpPage(
        name: "sandbox-vendors", section: .overviews,
        summary: "the vendors' systems that yett sandbox runs, and what can be turned at them",
        blocks: [
            .paragraph(
                """
                yett sandbox runs the systems of four vendors beside its OpenID provider, each on a port of its own, as far as their wire is
                public. Its output is the configuration that makes them providers; with --json, it names kind, origin, port and settings of each.
                --vendor runs one of them alone.
                """),
            .heading("Controls"),
            .paragraph("With --request-log, each port answers these as well, to whoever asks; also without TLS where the port speaks it:"),
            .terms([
                .init(
                    "GET /__log",
                    """
                    The requests so far, as a JSON list: method, path, query, form, headers (lists of name and value), body, tls, received_at.
                    Credentials are among them.
                    """),
                .init("GET /__set", "Every knob, and how it stands."),
                .init(
                    "POST /__set",
                    """
                    Turns the settings of a JSON object: {"delay_ms": 200}. Beside them, clock_advance moves the system's own clock by so many
                    seconds, and clear_log forgets the requests.
                    """),
                .init("GET /__certificate", "The certificate that is shown to clients now, in PEM; 404 where the knob tls is off."),
            ]),
            .paragraph(
                """
                A setting that there is not, and a value that it cannot take, is answered 400 and changes nothing behind it. --set vendor.setting=value
                turns one from the start. In the setting answers, {origin} stands for the system's own address, and {NAME} for a parameter of the
                query.
                """),
            .heading("Knobs of every vendor"),
            .terms(Vendor.commonSettings.map { .init($0.name, sentence($0.summary)) }),
        ] + Vendor.allCases.flatMap(blocks))

    private static func blocks(_ vendor: Vendor) -> [HelpPage.Block] {
        let ways: [HelpPage.Block] = vendor.otherWaysIn.map { [.paragraph($0)] } ?? []
        return [.heading("\(vendor.title): --vendor \(vendor.rawValue)"), .code(vendor.endpoints)] + ways
            + [.terms(vendor.ownSettings.map { .init($0.name, sentence($0.summary)) })]
    }

    private static func sentence(_ summary: String) -> String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }
}
