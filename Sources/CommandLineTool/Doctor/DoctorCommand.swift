internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import TerminalUI
internal import UserConfiguration

/// `yett doctor`: checks this machine and prints what to fix.
struct DoctorCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find problems on this machine and suggest fixes.",
        discussion: """
            On a terminal, shows what is wrong first, and what is well in one line; in a pipe or with --all, shows every check. The exit \
            status is 2 if something here must be fixed, 7 if only a provider cannot be reached, else 0.
            """)
    static let examples: KeyValuePairs = [
        "yett doctor": "Checks this machine, the configuration and the store.",
        "yett doctor --all": "Shows every check with its result.",
        "yett doctor --json": "Prints the results for a script.",
    ]

    @Flag(help: "Show every check, also what is well.")
    var all = false

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let machine = MachineCheckup(context: context)
        let files = FilesCheckup(context: context)
        var findings = machine.findings
        findings += await files.findings()
        findings += await ProviderCheckup(context: context, providers: files.providers).findings()
        try context.answer(Diagnosis(findings: findings, showsAll: all), asJSON: json)
        let failures = findings.filter { $0.outcome == .failure }
        guard !failures.isEmpty else { return }
        throw ExitStatus(code: failures.contains { $0.isLocal } ? 2 : 7)
    }
}

/// The output of `yett doctor`: all results.
private struct Diagnosis: Answer {
    let findings: [Finding]
    /// Whether a terminal shows each check that found nothing.
    let showsAll: Bool

    func rows(on display: Display) -> [StyledText] {
        let failures = findings.filter { $0.outcome == .failure }
        let warnings = findings.filter { $0.outcome == .warning }
        let well = findings.filter { $0.outcome == .well && $0.isChecked }
        let unchecked = findings.filter { $0.outcome == .well && !$0.isChecked }
        let width = 1 + ((failures + warnings + (showsAll ? well + unchecked : [])).map(\.check.count).max() ?? 0)
        func rows(_ findings: [Finding], _ mark: StyledText, _ role: Role) -> [StyledText] {
            findings.flatMap { finding in
                let label = StyledText(finding.check.padded(to: width), .title)
                return display.marked(mark, label: label, finding.localText ?? finding.text, role, hint: finding.hint)
            }
        }
        let found = [Self.counted(failures.count, "problem"), Self.counted(warnings.count, "warning")].compactMap(\.self)
        let title = found.isEmpty ? [] : [StyledText(found.joined(separator: ", "), .title)]
        let bad = title + rows(failures, display.bad, .danger) + rows(warnings, display.warning, .text)
        if showsAll { return bad + rows(well, display.good, .text) + rows(unchecked, display.neutral, .muted) }
        let passed = well.count == 1 ? "1 check passed" : "\(well.count) checks passed"
        let summary = bad.isEmpty ? "Everything is well: \(passed)" : passed
        let names = Self.named(well, on: display)
        let hint = "Show them with: yett doctor --all"
        var lines = bad.isEmpty ? [] : bad + [StyledText("")]
        lines += display.marked(display.good, "\(summary) (\(names)).", .muted, hint: unchecked.isEmpty ? hint : nil)
        guard !unchecked.isEmpty else { return lines }
        let others = "\(unchecked.count) not checked (\(Self.named(unchecked, on: display)))."
        return lines + display.marked(display.neutral, others, .muted, hint: hint)
    }

    /// Returns a number with what it counts: `2 problems`; `nil` for none.
    private static func counted(_ count: Int, _ name: String) -> String? {
        count == 0 ? nil : "\(count) \(name)\(count == 1 ? "" : "s")"
    }

    /// The most items of a check that its group names.
    private static let namedItems = 6

    /// Returns the names of checks, each once: `yett, clock; provider ×2: work, lab`. Those that were made of several items are last, each
    /// with its items.
    private static func named(_ findings: [Finding], on display: Display) -> String {
        var order: [String] = []
        for finding in findings where !order.contains(finding.check) { order.append(finding.check) }
        var single: [String] = []
        var groups: [String] = []
        for check in order {
            let group = findings.filter { $0.check == check }
            guard group.count > 1 else {
                single.append(check)
                continue
            }
            let items = group.compactMap(\.item)
            let more = items.count > namedItems ? ", \(items.count - namedItems) more" : ""
            let list = items.isEmpty ? "" : ": " + items.prefix(namedItems).joined(separator: ", ") + more
            groups.append("\(check) \(display.glyphs == .unicode ? "×" : "x")\(group.count)\(list)")
        }
        let first = single.isEmpty ? [] : [single.joined(separator: ", ")]
        return (first + groups).joined(separator: "; ")
    }

    var lines: [String] {
        findings.flatMap { finding in
            let outcome = finding.isChecked ? finding.outcome.rawValue : "-"
            return ["\(outcome.padded(to: 5))\(finding.check.padded(to: 14))\(finding.localText ?? finding.text)"]
                + (finding.hint.map { ["".padded(to: 19) + $0] } ?? [])
        }
    }

    var json: JSONValue {
        .answer(list: "checks", of: findings) { finding in
            .members(
                ("check", .string(finding.check)), ("outcome", .string(finding.outcome.rawValue)),
                ("text", .string(finding.text)),
                ("hint", JSONValue(finding.hint)))
        }
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
    /// The result with times in the user's time zone, for people; `nil` if it has no time.
    var localText: String?
    var hint: String?
    /// Whether the fix is on this machine, rather than at a provider or in the network.
    var isLocal = true
    /// Whether there was something to check. If not, a terminal does not count it among what is well.
    var isChecked = true
    /// The name of what was checked, if there may be several, such as a provider.
    var item: String?

    static func well(_ check: String, _ text: String, isChecked: Bool = true, item: String? = nil) -> Finding {
        Finding(check: check, outcome: .well, text: text, isChecked: isChecked, item: item)
    }

    /// Returns the result of a check that needs the configuration, which cannot be read.
    static func withoutConfiguration(_ check: String) -> Finding {
        .well(check, "not checked: fix the configuration first", isChecked: false)
    }

    static func warning(_ check: String, _ text: String, hint: String?) -> Finding {
        Finding(check: check, outcome: .warning, text: text, hint: hint)
    }

    static func failure(_ check: String, _ failure: AuthFailure) -> Finding {
        Finding(check: check, outcome: .failure, text: failure.summary, hint: failure.hintText, isLocal: !failure.isTransient)
    }
}

/// Checks the providers, and compares their clocks with ours.
struct ProviderCheckup {
    let context: CommandContext
    let providers: [ProviderConfiguration]

    /// The clock difference beyond which tokens look expired or not yet valid.
    private static let tolerance: Duration = .seconds(60)

    func findings() async -> [Finding] {
        let checks = await providers.concurrentMap { await ProviderCheck($0, in: context) }
        return checks.map(finding) + (confusion(checks).map { [$0] } ?? []) + [clock(checks)]
    }

    private func finding(_ check: ProviderCheck) -> Finding {
        let name = "provider"
        if let failure = check.failure {
            return .failure(name, AuthFailure(failure.kind, text: "\(check.provider.name): \(failure.summary)", hint: failure.hintText))
        }
        return .well(name, "\(check.provider.name): \(check.words)", isChecked: check.isChecked, item: check.provider.name.text)
    }

    /// Warns about mix-up attacks: one provider's code can be passed off as another's if neither `iss` nor the redirect tells them apart
    /// (RFC 9700 section 4.4).
    private func confusion(_ checks: [ProviderCheck]) -> Finding? {
        let silent = checks.filter { $0.finding.map { !$0.metadata.announcesIssuerInResponses } ?? false }
        for check in silent {
            let paths = Set(check.provider.redirects.map(\.path))
            let other = providers.first {
                $0.name != check.provider.name && $0.issuer != check.provider.issuer && !paths.isDisjoint(with: $0.redirects.map(\.path))
            }
            guard let other, let path = paths.first else { continue }
            return .warning(
                "mix-up",
                "\(check.provider.name) does not identify itself in callbacks, and shares its callback address with \(other.name)",
                hint: "register and set a separate one: redirect = \"http://127.0.0.1\(path)/\(check.provider.name)\"")
        }
        return nil
    }

    private func clock(_ checks: [ProviderCheck]) -> Finding {
        guard let check = checks.first(where: { $0.finding?.clockLead != nil }), let lead = check.finding?.clockLead else {
            return clock("not compared with any provider", isChecked: false)
        }
        let distance = lead < .zero ? .zero - lead : lead
        guard distance > Self.tolerance else { return clock("matches \(check.provider.name)") }
        return .failure(
            "clock",
            AuthFailure(
                .configuration, text: "it is \(distance.formatted) \(lead < .zero ? "ahead of" : "behind") \(check.provider.name)",
                hint: "set the clock, for example with: timedatectl set-ntp true"))
    }

    private func clock(_ comparison: String, isChecked: Bool = true) -> Finding {
        let now = context.now
        var finding = Finding.well("clock", "\(now), \(comparison)", isChecked: isChecked)
        finding.localText = "\(now.inLocalTime), \(comparison)"
        return finding
    }
}
