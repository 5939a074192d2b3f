import AuthModel
import Localization

/// The texts of the question whether a program gets a token.
enum QuestionWords {
    static var title: String { tr("A program requests a token") }
    static var yes: String { tr("allow") }
    static var no: String { tr("deny") }
    static var readFirst: String { tr("Read it first; y is enabled in a moment") }
    static var isOver: String { tr("No answer in time: the token was refused") }
    static var tooLate: String { tr("The request was already answered, or has expired") }

    static func heading(_ question: TokenConsentRequest) -> String {
        question.wanted == .id
            ? tr("Issue the ID token of {1}?", question.session) : tr("Issue the access token of {1}?", question.session)
    }

    /// Returns the token's restrictions, if it has fewer rights than the session.
    static func terms(_ question: TokenConsentRequest) -> [String] {
        let scopes = question.terms.scopes
        return (scopes.isEmpty ? [] : [tr("It is limited to these scopes: {1}.", scopes.wire)])
            + (question.terms.audience.map { [tr("Its audience is {1}.", $0)] } ?? [])
    }

    static func program(_ question: TokenConsentRequest) -> String {
        if question.terms != .session {
            return question.process.map { tr("{1} (process {2}) requests it.", question.program, $0) }
                ?? tr("{1} requests it.", question.program)
        }
        guard let process = question.process else {
            return tr("{1} requests it. The token has all session scopes.", question.program)
        }
        return tr("{1} (process {2}) requests it. It carries all rights of this session.", question.program, process)
    }

    static func left(_ time: Duration) -> String {
        let seconds = Int(max(0, time.wholeSeconds))
        return plural(seconds, "Denied in {1} second.", "Denied in {1} seconds.")
    }
}
