internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import UserConfiguration

/// Checks the providers, and compares their clocks with ours.
struct ProviderCheckup {
    let context: CommandContext
    let providers: [ProviderConfiguration]

    /// The clock difference beyond which tokens look expired or not yet valid.
    private static let tolerance: Duration = .seconds(60)

    func findings() async -> [Finding] {
        let checks = await withTaskGroup(of: (Int, ProviderCheck).self) { group in
            for (index, provider) in providers.enumerated() {
                group.addTask { (index, await ProviderCheck(provider, in: context)) }
            }
            var checks: [(Int, ProviderCheck)] = []
            for await check in group { checks.append(check) }
            return checks.sorted { $0.0 < $1.0 }.map(\.1)
        }
        return checks.map(finding) + (confusion(checks).map { [$0] } ?? []) + [clock(checks)]
    }

    private func finding(_ check: ProviderCheck) -> Finding {
        let name = "provider"
        if let failure = check.failure {
            return .failure(name, AuthFailure(failure.kind, text: "\(check.provider.name): \(failure.summary)", hint: failure.hintText))
        }
        return .well(name, "\(check.provider.name): \(check.words)")
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
            return clock("not compared with any provider")
        }
        let distance = lead < .zero ? .zero - lead : lead
        guard distance > Self.tolerance else { return clock("matches \(check.provider.name)") }
        return .failure(
            "clock",
            AuthFailure(
                .configuration, text: "it is \(distance.formatted) \(lead < .zero ? "ahead of" : "behind") \(check.provider.name)",
                hint: "set the clock, for example with: timedatectl set-ntp true"))
    }

    private func clock(_ comparison: String) -> Finding {
        let now = context.now
        var finding = Finding.well("clock", "\(now), \(comparison)")
        finding.localText = "\(now.inLocalTime), \(comparison)"
        return finding
    }
}
