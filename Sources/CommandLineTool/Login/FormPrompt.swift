internal import AuthModel
internal import Localization
internal import UserConfiguration

/// Asks the questions of a sign-in form as plain prompts. Without a terminal, answers with the suggestions, and reads the remaining answers
/// from standard input.
struct FormPrompt {
    let form: SignInForm
    let context: CommandContext

    /// Sends the answers to the session service. Returns a failure if a required answer is missing, or if the answers are refused and
    /// cannot be corrected.
    func complete(_ attempt: SignInAttempt.ID, of service: any SessionService, given: SignInForm.Answers) async -> AuthFailure? {
        if let problem = form.problem { context.console.warning(problem) }
        do throws(AuthFailure) {
            guard context.canAsk else {
                try await service.answer(try await answersWithoutAsking(given), to: attempt)
                return nil
            }
            return try await askUntilAccepted(attempt, of: service, given: given)
        } catch {
            return error
        }
    }

    /// Asks until the session service accepts the answers or fails for a reason that other answers cannot fix.
    private func askUntilAccepted(
        _ attempt: SignInAttempt.ID, of service: any SessionService, given: SignInForm.Answers
    ) async throws(AuthFailure) -> AuthFailure? {
        var failure = await refusal(of: try await ask(given), attempt, service)
        while let last = failure, last.kind == .usage || last.kind == .configuration {
            context.console.warning(last.summary, hint: last.hintText)
            failure = await refusal(of: try await ask([:]), attempt, service)
        }
        return failure
    }

    private func refusal(of answers: SignInForm.Answers, _ attempt: SignInAttempt.ID, _ service: any SessionService) async -> AuthFailure? {
        do throws(AuthFailure) {
            try await service.answer(answers, to: attempt)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Without a terminal

    /// Returns the given answers and the suggestions, which it prints, and reads one line of standard input for each required answer that
    /// is missing.
    private func answersWithoutAsking(_ given: SignInForm.Answers) async throws(AuthFailure) -> SignInForm.Answers {
        let known = form.refusal == nil ? given : [:]
        let open = form.fields.filter { $0.isRequired && known[$0.id] == nil && $0.suggestion == nil }
        // The same answers would be refused again.
        if let refusal = form.refusal, open.isEmpty { throw refusal }
        if !open.isEmpty, !context.edges.streams.isInputTerminal {
            context.console.note("  reading from standard input, one per line: \(open.labels)")
        }
        var answers: SignInForm.Answers = [:]
        for field in form.fields {
            if open.contains(field) {
                answers[field.id] = try await piped(field, among: open)
            } else if let answer = known[field.id] ?? field.suggestion.map({ Secret($0) }) {
                answers[field.id] = answer
                if field.kind != .secret {
                    context.console.note("  \(field.label.english.lowercased()): \(Self.shown(answer.reveal(), of: field))")
                }
            }
        }
        return answers
    }

    /// Returns an answer as the user reads it: an empty choice is shown by its title.
    private static func shown(_ answer: String, of field: SignInForm.Field) -> String {
        guard answer.isEmpty, case .choice(let choices) = field.kind else { return answer }
        return choices.first { $0.value == answer }?.title.english ?? answer
    }

    /// Returns what to do instead of answering prompts: give options if every field has one, or use a terminal.
    private static func ways(to fields: [SignInForm.Field]) -> String {
        let options = fields.compactMap { LoginOptions.option(for: $0.id) }
        return options.count == fields.count
            ? "give \(options.joined(separator: " and ")), run this in a terminal" : "run this in a terminal"
    }

    private func piped(_ field: SignInForm.Field, among open: [SignInForm.Field]) async throws(AuthFailure) -> Secret {
        guard !context.edges.streams.isInputTerminal, let line = await context.edges.streams.line(), !line.isEmpty else {
            throw form.refusal
                ?? AuthFailure(
                    .usage, text: "\(form.title.english.lowercased()): no terminal to ask at",
                    hint: "\(Self.ways(to: open)), or write to standard input, one per line: \(open.labels)")
        }
        switch field.kind {
        case .secret: return Secret(line)
        case .text, .email: return Secret(String(line.trimmed))
        case .choice(let choices): return Secret(Self.value(of: line.trimmed, among: choices, suggestion: nil) ?? String(line.trimmed))
        }
    }

    // MARK: At a terminal

    private func ask(_ given: SignInForm.Answers) async throws(AuthFailure) -> SignInForm.Answers {
        var answers: SignInForm.Answers = [:]
        for field in form.fields {
            let known = form.refusal == nil ? given[field.id] : nil
            answers[field.id] = if let known { known } else { try await answer(to: field) }
        }
        return answers
    }

    private func answer(to field: SignInForm.Field) async throws(AuthFailure) -> Secret {
        switch field.kind {
        case .secret:
            let console = context.console
            guard let secret = await context.edges.streams.hiddenLine({ console.ask(field.label.english + ":") }) else {
                throw Self.cancelled
            }
            return secret
        case .text, .email: return Secret(try await line(field.label.english, suggestion: field.suggestion))
        case .choice(let choices): return Secret(try await choice(among: choices, of: field))
        }
    }

    private func line(_ label: String, suggestion: String?) async throws(AuthFailure) -> String {
        context.console.ask(suggestion.map { "\(label) [\($0)]:" } ?? "\(label):")
        guard let line = await context.edges.streams.line() else { throw Self.cancelled }
        let text = String(line.trimmed)
        return text.isEmpty ? suggestion ?? "" : text
    }

    /// Shows a numbered prompt; accepts a number or a value.
    private func choice(among choices: [SignInForm.Choice], of field: SignInForm.Field) async throws(AuthFailure) -> String {
        for (index, choice) in choices.enumerated() {
            let mark = choice.value == field.suggestion ? "  (Enter)" : ""
            context.console.note("  \(index + 1)  \(choice.title.english)\(mark)")
        }
        var chosen: String?
        while chosen == nil {
            context.console.ask("\(field.label.english)? [1-\(choices.count)]")
            guard let line = await context.edges.streams.line() else { throw Self.cancelled }
            chosen = Self.value(of: line.trimmed, among: choices, suggestion: field.suggestion)
            if chosen == nil { context.console.note("Enter a number from 1 to \(choices.count), or a name.") }
        }
        return chosen ?? ""
    }

    private static func value(of text: Substring, among choices: [SignInForm.Choice], suggestion: String?) -> String? {
        if text.isEmpty { return suggestion }
        if let number = Int(text), choices.indices.contains(number - 1) { return choices[number - 1].value }
        return choices.first { $0.value == text }?.value
    }

    private static let cancelled = AuthFailure(.cancelled, text: "the sign-in was cancelled")
}

extension [SignInForm.Field] {
    /// The labels of the fields, for use in a sentence.
    fileprivate var labels: String { map { $0.label.english.lowercased() }.joined(separator: ", ") }
}
