internal import AuthModel

/// The settings of mail programs, as `yett setup mail` prints them.
struct MailSettings: Answer {
    let setup: MailSetup

    var lines: [String] {
        setup.settings.enumerated().flatMap { index, part in (index > 0 ? [""] : []) + ["# \(part.file)"] + part.lines }
    }

    var json: JSONValue {
        .answer(
            ("tool", "mail"), ("session", JSONValue(setup.session?.description)),
            ("settings", .object(setup.settings.map { .init($0.file, JSONValue($0.lines)) })))
    }
}
