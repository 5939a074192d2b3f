internal import ArgumentParser
internal import AuthModel
internal import Localization

/// `yett doctor`: checks this machine and prints what to fix.
struct DoctorCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find problems on this machine and suggest fixes.",
        discussion: "The exit status is 2 if something here must be fixed, 7 if only a provider cannot be reached, else 0.")
    static let examples: KeyValuePairs = [
        "yett doctor": "Checks this machine, the configuration and the store.",
        "yett doctor --json": "Prints the results for a script.",
    ]

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let machine = MachineCheckup(context: context)
        let files = FilesCheckup(context: context)
        var findings = machine.findings
        findings += await files.findings()
        findings += await ProviderCheckup(context: context, providers: files.providers).findings()
        try context.console.answer(Diagnosis(findings: findings), asJSON: json)
        let failures = findings.filter { $0.outcome == .failure }
        guard !failures.isEmpty else { return }
        throw ExitStatus(code: failures.contains { $0.isLocal } ? 2 : 7)
    }
}

/// The output of `yett doctor`: all results.
private struct Diagnosis: Answer {
    let findings: [Finding]

    var lines: [String] {
        findings.flatMap { finding in
            ["\(finding.outcome.rawValue.padded(to: 5))\(finding.check.padded(to: 14))\(finding.text)"]
                + (finding.hint.map { ["".padded(to: 19) + $0] } ?? [])
        }
    }

    var json: JSONValue {
        .answer(
            (
                "checks",
                .array(
                    findings.map { finding in
                        .members(
                            ("check", .string(finding.check)), ("outcome", .string(finding.outcome.rawValue)),
                            ("text", .string(finding.text)),
                            ("hint", JSONValue(finding.hint)))
                    })
            ))
    }
}

/// The result of one check.
struct Finding: Equatable, Sendable {
    enum Outcome: String, Sendable {
        case well = "ok"
        case warning = "warn"
        case failure = "fail"
    }

    /// A stable name of the check.
    var check: String
    var outcome: Outcome
    /// The result, in one line.
    var text: String
    var hint: String?
    /// Whether the fix is on this machine, rather than at a provider or in the network.
    var isLocal = true

    static func well(_ check: String, _ text: String) -> Finding { Finding(check: check, outcome: .well, text: text) }

    static func warning(_ check: String, _ text: String, hint: String?) -> Finding {
        Finding(check: check, outcome: .warning, text: text, hint: hint)
    }

    static func failure(_ check: String, _ failure: AuthFailure) -> Finding {
        Finding(check: check, outcome: .failure, text: failure.summary, hint: failure.hintText, isLocal: !failure.isTransient)
    }
}
