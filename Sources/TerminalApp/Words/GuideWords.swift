import AuthModel
import Localization

/// The texts of the guide to the first session.
enum GuideWords {
    static var title: String { tr("Get started") }
    static var intro: String { tr("No provider is configured yet. Three steps lead to your first session:") }
    static var goOn: String { tr("The provider is configured. Two steps remain to your first session:") }

    static func step(_ stage: GuideScreen.Stage) -> String {
        switch stage {
        case .provider: tr("Choose where to sign in")
        case .signIn: tr("Sign in with your own browser")
        case .use: tr("Let your tools use its tokens")
        }
    }

    static func choice(_ choice: GuideScreen.Choice) -> String {
        switch choice {
        case .demo: tr("Try the demo")
        case .addProvider: AddProviderWords.title
        case .signIn(let name): SigningInWords.title(SignInRequest(provider: name))
        }
    }

    static func meaning(of choice: GuideScreen.Choice) -> String {
        switch choice {
        case .demo: tr("Try everything in a minute, offline, with test providers. Nothing is saved.")
        case .addProvider: tr("Your own service: its address, and an existing or a new client.")
        case .signIn: tr("Your browser opens, and Yett waits here until you have signed in.")
        }
    }

    static var fromTheShell: String { tr("From the shell:") }
    static func shellCommand(in model: AppModel) -> String {
        model.providers?.first.map { "yett login \($0.name)" } ?? "yett demo; yett providers add URL --client-id ID"
    }

    static var keyDemo: String { tr("demo") }
    static var helpDemo: String { tr("start the demo; you return here when it ends") }
    static var noDemo: String { tr("the demo is already running, or not available here") }
}
