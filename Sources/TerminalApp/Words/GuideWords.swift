import AuthModel

/// The texts of the guide to the first session.
enum GuideWords {
    static var title: String { tr("Begin here") }
    static var intro: String { tr("No provider is configured yet. Three steps lead to your first session:") }
    static var goOn: String { tr("The provider is there. Two steps are left to your first session:") }

    static func step(_ stage: GuideScreen.Stage) -> String {
        switch stage {
        case .provider: tr("Choose where to sign in")
        case .signIn: tr("Sign in, in your own browser")
        case .use: tr("Let your tools have its tokens")
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
        case .demo: tr("Everything in a minute, offline, with providers of its own. Nothing is kept.")
        case .addProvider: tr("Your own service: its address, and a client of yours or a new one.")
        case .signIn: tr("Your browser opens, and Yett waits here for what it brings back.")
        }
    }

    static var fromTheShell: String { tr("The same from the shell:") }
    static func shellCommand(in model: AppModel) -> String {
        model.providers?.first.map { "yett login \($0.name)" } ?? "yett demo; yett providers add URL --client-id ID"
    }

    static var keyDemo: String { tr("demo") }
    static var helpDemo: String { tr("leave for the demo, and come back when it ends") }
    static var noDemo: String { tr("this is the demo, or there is none to go to from here") }
}
