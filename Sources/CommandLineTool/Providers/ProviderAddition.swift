internal import AuthModel
internal import Localization
internal import OAuth
internal import UserConfiguration

/// Writes a planned provider into the configuration: tells what was found, explains how to register a client, and asks for it.
struct ProviderAddition {
    let client: ClientOptions
    let context: CommandContext

    /// Adds the provider; `report` prints the result.
    func add(_ planned: ProviderPlan, report: (ProviderName) throws -> Void) async throws {
        var plan = planned
        if let metadata = plan.metadata { tell(metadata) }
        if let finding = plan.finding { context.console.note("found: \(finding.english)") }
        let source = ClientSource(options: client, context: context)
        let explains = source.asks(for: plan)
        if explains { explainRegistration(of: plan) }
        let clientID = try await source.settle(&plan)
        let secretFile = try await source.secretFile(for: plan)
        try context.configurationFile().add(plan.name, plan.settings(clientID: clientID, clientSecretFile: secretFile))
        try report(plan.name)
        if !explains, !plan.registersClient, !plan.registered.isEmpty {
            context.console.note("register this callback address there: \(plan.registered.joined(separator: ", "))")
        }
        if !plan.registersClient, !plan.postLogoutRedirects.isEmpty {
            context.console.note("and for the return after signing out: \(plan.postLogoutRedirects.joined(separator: ", "))")
        }
        for hint in plan.preset?.hints ?? [] { context.console.note(hint) }
        context.console.hint("sign in with: yett login \(plan.name)")
    }

    /// Prints what discovery found.
    private func tell(_ metadata: ProviderMetadata) {
        context.console.note("found: \(metadata.issuer?.text ?? "")")
        let capabilities = ProviderCapabilities(metadata: metadata).offered
        if !capabilities.isEmpty { context.console.note("  it supports \(capabilities.map(\.english).joined(separator: ", "))") }
    }

    /// Prints how to register a client, with the redirect addresses to enter.
    private func explainRegistration(of plan: ProviderPlan) {
        let preset = plan.preset
        let page = preset?.page(at: plan.place)
        context.console.note("Register a client at \(page ?? preset?.title ?? plan.host):")
        let steps = preset?.steps(at: plan.place, redirects: plan.registered) ?? []
        for (index, step) in steps.enumerated() { context.console.note("  \(index + 1). \(step)") }
        // An address that no step names would be forgotten.
        for address in plan.registered where !steps.contains(where: { $0.contains(address) }) {
            context.console.note("  callback address: \(address)")
        }
    }
}
