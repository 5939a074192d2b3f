package import AuthModel
import Localization

/// The texts of the sign-in forms.
package enum AnswerFormWords {
    package static func title(_ question: SignInForm) -> String { question.title.text() }

    package static func label(_ field: SignInForm.Field) -> String { field.label.text() }

    package static func choice(_ choice: SignInForm.Choice) -> String { choice.title.text() }

    package static func fault(_ fault: SignInForm.Field.Fault) -> String {
        switch fault {
        case .missing: tr("this field is required")
        case .controlCharacter: tr("control characters are not allowed")
        case .notAnAddress: tr("not an e-mail address: write it like {1}", emailExample)
        case .notOffered: tr("not one of the choices")
        }
    }

    package static let emailExample = "ada@example.org"
    package static var mayBeEmpty: String { tr("Optional.") }
    package static var answering: String { tr("Submitting.") }
    package static var isAnswering: String { tr("the form is already being submitted") }

    package static var keyAnswer: String { tr("submit") }
    package static var keyChoose: String { tr("choose") }
}
