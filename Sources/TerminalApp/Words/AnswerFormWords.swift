import AuthModel

/// The texts of the sign-in forms. A provider's own fields keep their texts, translated if a translation exists.
enum AnswerFormWords {
    static func title(_ question: SignInForm) -> String { told(question.title) }

    static func label(_ field: SignInForm.Field) -> String {
        switch field.id {
        case "username": tr("User name")
        case "password": tr("Password")
        case "email": tr("E-mail address")
        case "display_name": tr("Display name")
        case "idp": tr("Identity provider")
        default: told(field.label)
        }
    }

    static func choice(_ choice: SignInForm.Choice) -> String { choice.title.isEmpty ? choice.value : told(choice.title) }

    static func fault(_ fault: SignInForm.Field.Fault) -> String {
        switch fault {
        case .missing: tr("this is needed")
        case .controlCharacter: tr("there is a character in it that cannot be typed")
        case .notAnAddress: tr("this is no e-mail address: write it like {1}", emailExample)
        case .notOffered: tr("this is not offered")
        }
    }

    static let emailExample = "ada@example.org"
    static var mayBeEmpty: String { tr("It may be left empty.") }
    static var answering: String { tr("Handing it over.") }
    static var isAnswering: String { tr("the answer is on its way") }

    static var keyAnswer: String { tr("hand it in") }
    static var keyChoose: String { tr("this one") }
}
