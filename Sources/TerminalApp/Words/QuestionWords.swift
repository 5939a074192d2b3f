import AuthModel

/// The texts of the question whether a program gets a token.
enum QuestionWords {
    static var title: String { tr("A program asks for a token") }
    static var yes: String { tr("hand it out") }
    static var no: String { tr("refuse") }
    static var readFirst: String { tr("Read it first; y works in a moment") }
    static var isOver: String { tr("Nobody answered in time: the token was refused") }
    static var tooLate: String { tr("The question was answered already, or its time was over") }

    static func heading(_ question: TokenConsentRequest) -> String {
        question.wanted == .id
            ? tr("Hand out the ID token of {1}?", question.session) : tr("Hand out the access token of {1}?", question.session)
    }

    /// Returns the token's restrictions, if it has fewer rights than the session.
    static func terms(_ question: TokenConsentRequest) -> [String] {
        let scopes = question.terms.scopes
        return (scopes.isEmpty ? [] : [tr("It has no scope but {1}.", scopes.wire)])
            + (question.terms.audience.map { [tr("It is for {1}.", $0)] } ?? [])
    }

    static func program(_ question: TokenConsentRequest) -> String {
        if question.terms != .session {
            return question.process.map { tr("{1} (process {2}) asks for it.", question.program, $0) }
                ?? tr("{1} asks for it.", question.program)
        }
        guard let process = question.process else {
            return tr("{1} asks for it, and may do with it what this session may.", question.program)
        }
        return tr("{1} (process {2}) asks for it, and may do with it what this session may.", question.program, process)
    }

    static func left(_ time: Duration) -> String {
        let seconds = Int(max(0, time.wholeSeconds))
        return plural(seconds, "Refused in {1} second.", "Refused in {1} seconds.")
    }
}
