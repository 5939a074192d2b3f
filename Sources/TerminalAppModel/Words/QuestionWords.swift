package import AuthModel
import Localization

/// The texts of the question whether a program gets a token.
package enum QuestionWords {
    package static var title: String { tr("A program requests a token") }
    package static var yes: String { tr("allow") }
    package static var no: String { tr("deny") }
    package static var readFirst: String { tr("Read it first; y is enabled in a moment") }
    package static var isOver: String { tr("No answer in time: the token was refused") }
    package static var tooLate: String { tr("The request was already answered, or has expired") }

    package static func heading(_ question: TokenConsentRequest) -> String {
        question.wanted == .id
            ? tr("Issue the ID token of {1}?", question.session) : tr("Issue the access token of {1}?", question.session)
    }

    /// Returns the token's restrictions, if it has fewer rights than the session.
    package static func restrictions(_ question: TokenConsentRequest) -> [String] {
        let scopes = question.restrictions.scopes
        return (scopes.isEmpty ? [] : [tr("It is limited to these scopes: {1}.", scopes.wire)])
            + (question.restrictions.audience.map { [tr("Its audience is {1}.", $0)] } ?? [])
    }

    package static func program(_ question: TokenConsentRequest) -> String {
        if question.restrictions != .session {
            return question.process.map { tr("{1} (process {2}) requests it.", question.program, $0) }
                ?? tr("{1} requests it.", question.program)
        }
        guard let process = question.process else {
            return tr("{1} requests it. The token has all session scopes.", question.program)
        }
        return tr("{1} (process {2}) requests it. It carries all rights of this session.", question.program, process)
    }

    package static func destination(_ question: TokenConsentRequest) -> String? {
        question.destination.map { tr("According to the program, it is for {1}.", $0) }
    }

    package static func left(_ time: Duration) -> String {
        let seconds = Int(max(0, time.wholeSeconds))
        return plural(seconds, "Denied in {1} second.", "Denied in {1} seconds.")
    }
}
