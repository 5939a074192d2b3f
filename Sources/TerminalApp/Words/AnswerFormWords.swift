import AuthModel
import Localization

/// The texts of the sign-in forms.
enum AnswerFormWords {
    static func title(_ question: SignInForm) -> String { question.title.text() }

    static func label(_ field: SignInForm.Field) -> String { field.label.text() }

    static func choice(_ choice: SignInForm.Choice) -> String { choice.title.text() }

    static func fault(_ fault: SignInForm.Field.Fault) -> String {
        switch fault {
        case .missing: tr("this field is required")
        case .controlCharacter: tr("control characters are not allowed")
        case .notAnAddress: tr("not an e-mail address: write it like {1}", emailExample)
        case .notOffered: tr("not one of the choices")
        }
    }

    static let emailExample = "ada@example.org"
    static var mayBeEmpty: String { tr("Optional.") }
    static var answering: String { tr("Submitting.") }
    static var isAnswering: String { tr("the form is already being submitted") }

    static var keyAnswer: String { tr("submit") }
    static var keyChoose: String { tr("choose") }
}
