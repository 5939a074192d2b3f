internal import AuthModel

/// Asks the questions of a sign-in as plain prompts, or answers them with what is suggested where nobody can be asked.
struct FormPrompt {
    let form: SignInForm
    let context: CommandContext

    /// Hands answers over; returns why that cannot be, where a question stays open or nobody can put an answer right.
    func answer(_ attempt: SignInAttempt.ID, of keeper: any Keeper, given: SignInForm.Answers) async -> AuthFailure? {
        if let problem = form.problem { context.console.warning(problem) }
        do throws(AuthFailure) {
            guard context.canAsk else {
                let answers = try suggested(given)
                try await keeper.answer(answers, to: attempt)
                return nil
            }
            return try await askUntilTaken(attempt, of: keeper, given: given)
        } catch {
            return error
        }
    }

    /// Asks until the keeper takes the answers, or says that none would do.
    private func askUntilTaken(
        _ attempt: SignInAttempt.ID, of keeper: any Keeper, given: SignInForm.Answers
    ) async throws(AuthFailure) -> AuthFailure? {
        var failure = await refusal(of: try await ask(given), attempt, keeper)
        while let last = failure, last.kind == .usage || last.kind == .configuration {
            context.console.warning(last.summary)
            if let hint = last.hint { context.console.hint(hint) }
            failure = await refusal(of: try await ask([:]), attempt, keeper)
        }
        return failure
    }

    private func refusal(of answers: SignInForm.Answers, _ attempt: SignInAttempt.ID, _ keeper: any Keeper) async -> AuthFailure? {
        do throws(AuthFailure) {
            try await keeper.answer(answers, to: attempt)
            return nil
        } catch {
            return error
        }
    }

    /// What is answered where nobody can be asked, told to whoever reads it.
    private func suggested(_ given: SignInForm.Answers) throws(AuthFailure) -> SignInForm.Answers {
        guard form.problem == nil, let answers = form.answers(from: given) else { throw unanswered }
        for field in form.fields {
            if let text = Self.told(answers, field) { context.console.note("  \(field.label.lowercased()): \(text)") }
        }
        return answers
    }

    /// What is said of an answer that nobody gave.
    private static func told(_ answers: SignInForm.Answers, _ field: SignInForm.Field) -> String? {
        if case .secret = field.kind { return nil }
        return answers[field.id]?.reveal()
    }

    private var unanswered: AuthFailure {
        let open = form.fields.filter { $0.isRequired && $0.suggestion == nil }.map { $0.label.lowercased() }
        let summary: String = form.problem ?? "\(form.title.lowercased()): nobody can be asked here"
        let hint: String = open.isEmpty ? "sign in at a terminal" : "sign in at a terminal; asked for: \(open.joined(separator: ", "))"
        return AuthFailure(.usage, summary, hint: hint)
    }

    private func ask(_ given: SignInForm.Answers) async throws(AuthFailure) -> SignInForm.Answers {
        var answers: SignInForm.Answers = [:]
        for field in form.fields {
            let known = form.problem == nil ? given[field.id] : nil
            answers[field.id] = if let known { known } else { try await answer(to: field) }
        }
        return answers
    }

    private func answer(to field: SignInForm.Field) async throws(AuthFailure) -> Secret {
        switch field.kind {
        case .secret:
            let console = context.console
            guard let secret = await context.edges.streams.hiddenLine({ console.ask(field.label + ":") }) else { throw Self.cancelled }
            return secret
        case .text, .email: return Secret(try await line(field.label, suggestion: field.suggestion))
        case .choice(let choices): return Secret(try await choice(among: choices, of: field))
        }
    }

    private func line(_ label: String, suggestion: String?) async throws(AuthFailure) -> String {
        context.console.ask(suggestion.map { "\(label) [\($0)]:" } ?? "\(label):")
        guard let line = await context.edges.streams.line() else { throw Self.cancelled }
        let text = String(line.trimmed)
        return text.isEmpty ? suggestion ?? "" : text
    }

    /// A plain numbered prompt; the value itself is understood as well.
    private func choice(among choices: [SignInForm.Choice], of field: SignInForm.Field) async throws(AuthFailure) -> String {
        for (index, choice) in choices.enumerated() {
            let mark = choice.value == field.suggestion ? "  (Enter)" : ""
            context.console.note("  \(index + 1)  \(choice.title)\(mark)")
        }
        var chosen: String?
        while chosen == nil {
            context.console.ask("\(field.label)? [1-\(choices.count)]")
            guard let line = await context.edges.streams.line() else { throw Self.cancelled }
            chosen = Self.value(of: line.trimmed, among: choices, suggestion: field.suggestion)
            if chosen == nil { context.console.note("A number from 1 to \(choices.count), or a name.") }
        }
        return chosen ?? ""
    }

    private static func value(of text: Substring, among choices: [SignInForm.Choice], suggestion: String?) -> String? {
        if text.isEmpty { return suggestion }
        if let number = Int(text), choices.indices.contains(number - 1) { return choices[number - 1].value }
        return choices.first { $0.value == text }?.value
    }

    private static let cancelled = AuthFailure(.cancelled, "the sign-in was cancelled")
}
